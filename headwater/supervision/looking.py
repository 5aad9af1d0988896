"""One look at everything that must not wait for a person: every minute, or when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater import alarms, capture, glue, retention
from headwater.supervision.acting import tick

if TYPE_CHECKING:
    from headwater.settings import Settings


def look_after_everything(settings: Settings) -> list[str]:
    """Look after apps, capture, what Kafka will let go, and the copy of the catalog; say what was done."""
    alarms.tell(settings)  # what Kafka did not take a minute ago
    looks = (tick, capture.look_after, retention.look_after, glue.look_after)
    return [str(done) for look in looks for done in look(settings)]
