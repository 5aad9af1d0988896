"""The notifier as a supervised part: it runs as long as the platform does.

Like the shop it is an application of the platform and not a part of its infrastructure: `make up` starts it
once topics and apps are there, and Terraform knows nothing of it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local.part import start_part, stop_part
from headwater.local.record import Part, Program, started_parts

if TYPE_CHECKING:
    from headwater.settings import Settings

NAME = "notifier"


def start(settings: Settings) -> bool:
    """Start the notifier unless it runs as it should; return whether anything was done."""
    part = _part(settings)
    if part in started_parts(part.home):
        return False
    start_part(part)
    return True


def stop(home: Path) -> None:
    """Stop the notifier, if it runs."""
    for part in started_parts(home):
        if part.name == NAME:
            stop_part(part)


def _part(settings: Settings) -> Part:
    notifier = Program(
        command=[sys.executable, "-m", "headwater.cli", "notify", "--name", "supervised"],
        environment={},
        port=None,
        stop_signal="TERM",
        stop_seconds=20,
    )
    return Part(
        name=NAME,
        home=Path(settings.home),
        files={},
        programs={NAME: notifier},
        # It reads them once, when it starts: other channels are another part, and `make up` starts it anew.
        facts={"channels": json.dumps(settings.notification_channels, sort_keys=True)},
        unprivileged=False,
        deadline=60,
    )
