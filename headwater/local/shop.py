"""The simulated shop as a supervised part: customers who come by as long as the platform runs.

It is an application of the platform and not a part of its infrastructure, so `make up` starts it after the
topics are there, and Terraform knows nothing of it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local.part import start_part, stop_part
from headwater.local.record import Part, Program, started_parts

if TYPE_CHECKING:
    from headwater.settings import Settings

NAME = "shop"
GENTLE = ("--rate", "10")


def start(settings: Settings) -> bool:
    """Start the shop unless it runs as it should; return whether anything was done."""
    part = _part(Path(settings.home))
    if part in started_parts(part.home):
        return False
    start_part(part)
    return True


def stop(home: Path) -> None:
    """Stop the shop, if it runs."""
    for part in started_parts(home):
        if part.name == NAME:
            stop_part(part)


def _part(home: Path) -> Part:
    customers = Program(
        command=[sys.executable, "-m", "headwater.cli", "simulate", *GENTLE],
        environment={},
        port=None,
        stop_signal="TERM",
        stop_seconds=20,
    )
    return Part(
        name=NAME,
        home=home,
        files={},
        programs={NAME: customers},
        facts={},
        unprivileged=False,
        deadline=60,
    )
