"""Restoring: a table of the shop's database, made anew from nothing but its changelog.

A compacted topic keeps the newest record of each key, so it is a copy of the table: read as a whole, the last
word on each key is its row, and a key whose last word is a farewell has none. It is read up to where it ended
when the reading began, and all rows are one transaction: the table is whole, or as empty as it was.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from headwater.errors import Refusal
from headwater.shop import database
from headwater.shop.database import rows
from headwater.topics import load_topics
from headwater.topics.reading import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafka.consumer.fetcher import ConsumerRecord

    from headwater.settings import Settings
    from headwater.shop.database.connecting import Connection
    from headwater.topics import Topic

NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
REPORT_EVERY = 10_000


def restore(settings: Settings, table: str, into: str, report: Callable[[str], object]) -> int:
    """Fill an empty table of another database from its changelog; return how many rows it has."""
    return restore_from(settings, captured(table), into, report)


def restore_from(settings: Settings, topic: Topic, into: str, report: Callable[[str], object]) -> int:
    """Fill an empty table of a database from this topic."""
    if not NAME.fullmatch(into):
        raise Refusal(f'"{into}" cannot name a database', hint="Small letters, digits and underscores.")
    database.migrate(settings, into)
    with database.connect(settings, into) as shop, shop.transaction():
        _refuse_rows(shop, topic.table, into)
        kept = last_words(settings, topic, report)
        for number, (key, value) in enumerate(kept.items(), start=1):
            _write(shop, topic, key, value)
            if number % REPORT_EVERY == 0 or number == len(kept):
                report(f"wrote {number:,} of {len(kept):,} rows")
    return len(kept)


def captured(table: str) -> Topic:
    """Return the topic that tells the changes of a table."""
    topics = {topic.table: topic for topic in load_topics().values() if topic.table}
    if table not in topics:
        raise Refusal(
            f'no topic tells the changes of a table "{table}"',
            detail=f"There are changelogs of: {', '.join(sorted(topics))}.",
        )
    return topics[table]


def last_words(settings: Settings, topic: Topic, report: Callable[[str], object]) -> dict[bytes, bytes]:
    """Return the newest value of each key that a changelog holds, without those that are gone."""
    kept: dict[bytes, bytes] = {}
    for number, record in enumerate(read_whole(settings, topic.name), start=1):
        match _told(record):
            case None:
                report(f"left out: offset {record.offset} of partition {record.partition} is no row")
            case {"__deleted": "true"}:
                kept.pop(record.key, None)
            case _:
                kept[record.key] = record.value
        if number % REPORT_EVERY == 0:
            report(f"read {number:,} records of {topic.name}")
    return kept


def _told(record: ConsumerRecord) -> dict[str, Any] | None:
    """Return what a record says of its row; None if it is malformed, as quarantined records are."""
    if record.value is None:
        return {"__deleted": "true"}
    try:
        told = json.loads(record.value)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def _refuse_rows(shop: Connection, table: str, into: str) -> None:
    """Refuse a table that holds anything: what would be overwritten may be all that is left of it."""
    if shop.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(sql.Identifier(table))).rowcount:
        raise Refusal(
            f'table "{table}" of database "{into}" has rows already',
            detail="Only an empty table is restored.",
            hint=f"Name another database: `CREATE DATABASE another OWNER {database.DATABASE}`.",
        )


def _write(shop: Connection, topic: Topic, key: bytes, value: bytes) -> None:
    try:
        rows.write(shop, topic, key, value)
    except psycopg.errors.ForeignKeyViolation as error:
        raise Refusal(
            f'table "{topic.table}" could not be restored',
            detail=str(error.diag.message_detail),
            hint="Restore the tables that it refers to first, into the same database.",
        ) from error
