"""Something that happens in the shop, and how it is written.

Written without a JSON library: it is faster, and every byte is fixed. Nothing in the shop needs escaping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from headwater.shop.streams.stream import Stream


class Event(NamedTuple):
    """What happens, before anyone has sent it."""

    stream: Stream
    key: bytes
    fields: bytes | None
    """What it tells, as the inside of a JSON object; None says that a changelog's key is no more."""
    story: str = ""
    """What the simulator knows and the event does not say: for example that a click has no impression."""


EVENT = b'{"event_id":"%b",%b,"occurred_at":%d,"sent_at":%d}'
"""An event with its id, its fields and its two times."""
CHANGE = b"{%b}"
"""A record of a changelog."""
