"""The notifier: it turns alerts into notifications as long as the platform runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local import application

if TYPE_CHECKING:
    from headwater.settings import Settings

NAME = "notifier"


def start(settings: Settings) -> bool:
    """Start the notifier unless it runs as it should; return whether anything was done."""
    # It reads them once, when it starts: other channels are another part, and `make up` starts it anew.
    facts = {"channels": json.dumps(settings.notification_channels, sort_keys=True)}
    command = ("notify", "--name", "supervised")
    return application.start(application.application(NAME, Path(settings.home), *command, facts=facts))


def stop(home: Path) -> None:
    """Stop the notifier, if it runs."""
    application.stop(home, NAME)
