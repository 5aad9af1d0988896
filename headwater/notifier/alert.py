"""Alerts and notifications: what they look like."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Milliseconds = Annotated[int, Field(ge=0, lt=2**63)]


class Alert(BaseModel):
    """An alert, or the notification of it: the same fields. Those that no file declares are dropped."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    event_id: Annotated[str, Field(min_length=1)]
    subject: str
    kind: str
    state: str
    message: str
    runbook: str | None = None
    occurred_at: Milliseconds
    sent_at: Milliseconds

    def notification(self, now: int) -> Alert:
        """Return what is told of this alert: the same, sent anew."""
        return self.model_copy(update={"sent_at": now})

    def encoded(self) -> bytes:
        """Return the value of its record."""
        return self.model_dump_json().encode()
