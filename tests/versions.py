"""Versions of views as their checkers see them, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expectations.versions import Declared, Version
from spark_apps import catalog

if TYPE_CHECKING:
    from spark_apps.view import View


def version_of(view: View, **changes: Any) -> Version:
    """Return the version that this view's code would be registered as."""
    given: dict[str, Any] = {
        "view": view.name,
        "label": view.label,
        "table": view.table,
        "checkpoint": view.checkpoint,
        "declared": Declared.read(catalog.describe(view)),
    }
    return Version(**given | changes)
