"""The service of the carts: it decides commands as long as the platform runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local import application

if TYPE_CHECKING:
    from headwater.settings import Settings

NAME = "carts"


def start(settings: Settings) -> bool:
    """Start the service unless it runs as it should; return whether anything was done."""
    command = ("carts", "decide", "--name", "supervised")
    return application.start(application.application(NAME, Path(settings.home), *command))


def stop(home: Path) -> None:
    """Stop the service, if it runs."""
    application.stop(home, NAME)
