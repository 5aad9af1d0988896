"""What readers see: the live version of a view, as this code computes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.registry import connect, releases
from spark_apps import catalog

if TYPE_CHECKING:
    from datetime import datetime

    from headwater.settings import Settings
    from spark_apps.view import View


def live_view(settings: Settings, name: str) -> tuple[View, datetime | None]:
    """Return the view that is live, and from when on it has rows, if not from the log's beginning.

    Refuses if the code at hand computes something else: what it says of the rows would be no verdict on them.
    """
    with connect(settings) as registry:
        version = releases.live_version(registry, name)
    view = catalog.view(name)
    if (view.version, catalog.fingerprint(view)) != (version["version"], version["fingerprint"]):
        raise Refusal(
            f'view "{name}" is live with other code than this',
            detail=f"Readers see {version['label']}; this code has version {view.version}, or other logic.",
            hint="Check out the code that is live, or replay and promote this one.",
        )
    return replace(view, build=version["build"]), version["seam_at"]
