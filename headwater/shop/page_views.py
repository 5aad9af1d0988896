"""A page view as bytes. Written without a JSON library: it is faster, and every byte is fixed."""

from __future__ import annotations

from typing import NamedTuple


class PageView(NamedTuple):
    """What a device says; times are epoch milliseconds by its own clock."""

    event_id: bytes
    user_id: bytes
    page: bytes
    referrer: bytes | None
    occurred_at: int
    sent_at: int


WITHOUT_REFERRER = b'{"event_id":"%b","user_id":"%b","page":"%b","occurred_at":%d,"sent_at":%d}'
WITH_REFERRER = b'{"event_id":"%b","user_id":"%b","page":"%b","referrer":"%b","occurred_at":%d,"sent_at":%d}'


def encode(view: PageView) -> bytes:
    """Return the event as JSON. Ids and pages of the shop need no escaping."""
    event_id, user_id, page, referrer, occurred_at, sent_at = view
    if referrer is None:
        return WITHOUT_REFERRER % (event_id, user_id, page, occurred_at, sent_at)
    return WITH_REFERRER % (event_id, user_id, page, referrer, occurred_at, sent_at)
