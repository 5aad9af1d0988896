"""Events that cannot be used: one kind of flaw each, made from an event that was good.

They work for every topic: what a topic's file declares says which field to spoil.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.topics import Topic

    Fields = dict[str, Any]

HOUR = 3_600_000
LAST_MOMENT_OF_9999 = 253_402_300_799_999
TOO_LARGE = 900_000
BROKEN_JSON = "broken_json"


def spoil(flaw: str, value: bytes, topic: Topic) -> bytes | None:
    """Return a good value with a flaw."""
    return FLAWS[flaw](value, topic)


def text_field(topic: Topic) -> str:
    """Return the field that is spoilt where it takes a text: the first that is neither identity nor key."""
    texts = [name for name, field in topic.fields.items() if field.type == "string" and not field.optional]
    return next(name for name in texts if name not in ("event_id", topic.key))


def _broken_json(value: bytes, topic: Topic) -> bytes:
    return value[:-20]


def _text_for_time(value: bytes, topic: Topic) -> bytes:
    return _with(value, "occurred_at", "yesterday")


def _number_for_text(value: bytes, topic: Topic) -> bytes:
    return _with(value, text_field(topic), 42)


def _missing_field(value: bytes, topic: Topic) -> bytes:
    fields = json.loads(value)
    del fields[text_field(topic)]
    return _encode(fields)


def _too_large(value: bytes, topic: Topic) -> bytes:
    return _with(value, text_field(topic), "x" * TOO_LARGE)


def _null(value: bytes, topic: Topic) -> None:
    return None


def _empty(value: bytes, topic: Topic) -> bytes:
    return b""


def _invalid_utf8(value: bytes, topic: Topic) -> bytes:
    """Write as a device does that still believes in Latin-1."""
    return _encode({**json.loads(value), text_field(topic): "caf\xe9 \xff"}, "latin-1")


def _nan(value: bytes, topic: Topic) -> bytes:
    return _with(value, "occurred_at", float("nan"))


def _future(value: bytes, topic: Topic) -> bytes:
    """Only occurred_at lies ahead: if sent_at did too, it would be a wrong clock, which can be corrected."""
    return _with(value, "occurred_at", json.loads(value)["sent_at"] + 25 * HOUR)


def _year_9999(value: bytes, topic: Topic) -> bytes:
    return _with(value, "occurred_at", LAST_MOMENT_OF_9999)


def _with(value: bytes, name: str, spoilt: object) -> bytes:
    return _encode({**json.loads(value), name: spoilt})


def _encode(fields: Fields, encoding: str = "utf-8") -> bytes:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode(encoding)


FLAWS: dict[str, Callable[[bytes, Topic], bytes | None]] = {
    BROKEN_JSON: _broken_json,
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
