"""Alerts and notifications: what they look like, and what is neither."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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


class MalformedAlert(ValueError):
    """A record that is no alert; the message says why, without quoting what anybody may have written."""


def read_alert(value: bytes | None, largest: int) -> Alert:
    """Read the value of a record; one that is larger than its topic allows is no alert either."""
    if value is None:
        raise MalformedAlert("no value")
    if len(value) > largest:
        raise MalformedAlert(f"too large: more than {largest} bytes")
    try:
        return Alert.model_validate_json(value)
    except ValidationError as error:
        raise MalformedAlert("; ".join(_reasons(error))) from None


def _reasons(error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [f"{'.'.join(map(str, one['loc'])) or 'value'}: {one['msg']}" for one in found]
