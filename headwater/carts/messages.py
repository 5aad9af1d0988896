"""Commands, events and rejections: what they look like in the log."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Milliseconds = Annotated[int, Field(ge=0, lt=2**63)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
# Without spaces and colons, so that contents can be told as text.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Wanted = Literal["add", "remove", "change", "check_out"]
Happened = Literal["ItemAdded", "ItemRemoved", "QuantityChanged", "CheckedOut"]
Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class Message(BaseModel):
    """What all three are: values of records. Fields that no file declares are dropped."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    event_id: Text
    cart_id: Text
    occurred_at: Milliseconds
    sent_at: Milliseconds

    def encoded(self) -> bytes:
        """Return the value of its record."""
        return self.model_dump_json(exclude_none=True).encode()


class Command(Message):
    """What somebody wants."""

    user_id: Text
    kind: Wanted
    product_id: Name | None = None
    quantity: Number | None = None
    expected_version: Number | None = None


class Event(Message):
    """What happened, with all that a reader needs to know the cart after it and before."""

    user_id: Text
    kind: Happened
    version: int
    product_id: Name | None = None
    quantity: int | None = None
    change: int | None = None
    contents: str
    contents_before: str
    began_at: Milliseconds
    previous_at: Milliseconds | None = None


class Rejection(Message):
    """Why nothing happened."""

    user_id: Text | None = None
    kind: Text | None = None
    reason: str
