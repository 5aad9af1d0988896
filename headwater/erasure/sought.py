"""What a proof of erasure looks for: the person's own words, as they were before they were sealed.

They are read before the key is destroyed, and are needed until the proof holds, which may take another
attempt on another day. Until then they are kept with the erasure, wrapped; afterwards nowhere.
"""

from __future__ import annotations

import base64
import html
import json
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from psycopg import sql

from headwater import lake
from headwater.people import ERASED
from headwater.shop import database
from headwater.topics import load_topics
from headwater.topics.reading import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from headwater.people import Keyring
    from headwater.people.wrapping import Wrapping
    from headwater.settings import Settings
    from headwater.topics import Topic

SHORTEST = 4  # bytes: anything shorter is found everywhere, and by itself says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A person's words, and their key as it was stored."""

    texts: tuple[str, ...]
    key: bytes | None = None

    def needles(self) -> tuple[bytes, ...]:
        """Return what to look for in files: each text as it is, and as JSON and HTML write it."""
        written = {form.encode() for text in self.long_enough for form in _forms(text)}
        return (*sorted(written), *([self.key] if self.key else []))

    @property
    def long_enough(self) -> tuple[str, ...]:
        """Return the texts that are worth looking for."""
        return tuple(text for text in self.texts if len(text.encode()) >= SHORTEST)

    def wrap(self, wrapping: Wrapping, person: str) -> bytes:
        """Return it encrypted."""
        key = base64.b64encode(self.key).decode() if self.key else None
        return wrapping.wrap(_purpose(person), json.dumps({"texts": self.texts, "key": key}).encode())

    @classmethod
    def unwrap(cls, wrapping: Wrapping, person: str, wrapped: bytes) -> Sought:
        """Return what was wrapped."""
        read = json.loads(wrapping.unwrap(_purpose(person), wrapped))
        return cls(texts=tuple(read["texts"]), key=base64.b64decode(read["key"]) if read["key"] else None)


def gather(settings: Settings, keys: Keyring, person: str) -> Sought:
    """Read what is personal of a person, in the database, in the log and in quarantine."""
    found: set[str] = set()
    for topic in load_topics().values():
        if topic.personal:
            told = chain(_in_log(settings, topic), _in_quarantine(settings, topic))
            rows = chain(_in_database(settings, topic, person), _texts_of(person, told, topic))
            words = {(name, keys.open(person, name, text)) for row in rows for name, text in row.items()}
            found |= {form for name, text in words if text != ERASED for form in _findable(name, text)}
    return Sought(texts=tuple(sorted(found)), key=keys.wrapped_key(person))


def _in_database(settings: Settings, topic: Topic, person: str) -> Iterator[dict[str, str]]:
    if not topic.table:
        return
    columns = [sql.Identifier(name) for name in topic.personal]
    statement = sql.SQL("SELECT {} FROM {} WHERE {} = %s").format(
        sql.SQL(", ").join(columns), sql.Identifier(topic.table), sql.Identifier(topic.person)
    )
    with database.connect(settings) as shop:
        for row in shop.execute(statement, [person]):
            yield _texts(dict(zip(topic.personal, row, strict=True)), topic)


def _in_log(settings: Settings, topic: Topic) -> Iterator[bytes | None]:
    return (record.value for record in read_whole(settings, topic.name))


def _in_quarantine(settings: Settings, topic: Topic) -> Iterator[bytes | None]:
    """Yield what was not let into the lake: a compacted log forgets it, and the quarantine does not."""
    if kept := lake.table(settings, f"quarantine.{topic.name}"):
        for batch in kept.scan(selected_fields=("value",)).to_arrow_batch_reader():
            yield from batch["value"].to_pylist()


def _texts_of(person: str, told: Iterable[bytes | None], topic: Topic) -> Iterator[dict[str, str]]:
    for record in told:
        try:
            value = json.loads(record or b"null")
        except ValueError:  # malformed; what it says nobody knows
            continue
        if isinstance(value, dict) and value.get(topic.person) == person:
            yield _texts(value, topic)


def _texts(row: dict[str, object], topic: Topic) -> dict[str, str]:
    return {name: text for name in topic.personal if isinstance(text := row.get(name), str) and text}


def _findable(field: str, text: str) -> tuple[str, ...]:
    """Return a text as it is; one that is found everywhere only as records tell it, with its field."""
    if len(text.encode()) >= SHORTEST:
        return (text,)
    told = json.dumps(text, ensure_ascii=False)
    return f'"{field}":{told}', f'"{field}": {told}'


def _forms(text: str) -> set[str]:
    written = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    return {text, *written, html.escape(text), html.escape(text, quote=False)}


def _purpose(person: str) -> str:
    return f"erasure of {person}"
