"""Events that cannot be used: one kind of flaw each, made from an event that was good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.shop.page_views import PageView, encode

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = 3_600_000
LAST_MOMENT_OF_9999 = 253_402_300_799_999
TOO_LARGE = 900_000


def _broken_json(view: PageView) -> bytes:
    return encode(view)[:-20]


def _text_for_time(view: PageView) -> bytes:
    return _with_occurred_at(view, b'"yesterday"')


def _number_for_text(view: PageView) -> bytes:
    return encode(view).replace(b'"page":"%b"' % view.page, b'"page":42')


def _missing_field(view: PageView) -> bytes:
    return encode(view).replace(b'"page":"%b",' % view.page, b"")


def _too_large(view: PageView) -> bytes:
    return encode(view._replace(page=b"/" + b"x" * TOO_LARGE))


def _null(view: PageView) -> None:
    return None


def _empty(view: PageView) -> bytes:
    return b""


def _invalid_utf8(view: PageView) -> bytes:
    return encode(view._replace(page=b"/caf\xe9\xff"))


def _nan(view: PageView) -> bytes:
    return _with_occurred_at(view, b"NaN")


def _future(view: PageView) -> bytes:
    """Only occurred_at lies ahead: if sent_at did too, it would be a wrong clock, which can be corrected."""
    return encode(view._replace(occurred_at=view.sent_at + 25 * HOUR))


def _year_9999(view: PageView) -> bytes:
    return encode(view._replace(occurred_at=LAST_MOMENT_OF_9999))


def _with_occurred_at(view: PageView, value: bytes) -> bytes:
    return encode(view).replace(b'"occurred_at":%d' % view.occurred_at, b'"occurred_at":' + value)


FLAWS: dict[str, Callable[[PageView], bytes | None]] = {
    "broken_json": _broken_json,
    "text_for_time": _text_for_time,
    "number_for_text": _number_for_text,
    "missing_field": _missing_field,
    "too_large": _too_large,
    "null": _null,
    "empty": _empty,
    "invalid_utf8": _invalid_utf8,
    "nan": _nan,
    "future": _future,
    "year_9999": _year_9999,
}
