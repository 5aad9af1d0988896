"""The simulated shop: customers who come by as long as the platform runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local import application

if TYPE_CHECKING:
    from headwater.settings import Settings

NAME = "shop"
GENTLE = ("--rate", "10", "--changes", "2")


def start(settings: Settings) -> bool:
    """Let customers in, unless they are; return whether anything was done."""
    return application.start(application.application(NAME, Path(settings.home), "simulate", *GENTLE))


def stop(home: Path) -> None:
    """Let no more customers in."""
    application.stop(home, NAME)
