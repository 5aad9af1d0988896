"""A record of a changelog, written to the table it tells of: the log then hears of it by the capture."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from psycopg import sql

if TYPE_CHECKING:
    from headwater.shop.database.connecting import Connection
    from headwater.topics import Topic, TopicField


def write(shop: Connection, topic: Topic, key: bytes, value: bytes | None) -> None:
    """Insert a row, replace it, or delete it."""
    table, column = sql.Identifier(topic.table), sql.Identifier(topic.key)
    if value is None:
        statement = sql.SQL("DELETE FROM {} WHERE {} = %s").format(table, column)
        shop.execute(statement, [key.decode()])
        return
    told = json.loads(value)
    row = {name: _column(field, told.get(name)) for name, field in topic.fields.items()}
    names = [sql.Identifier(name) for name in row]
    replaced = [sql.SQL("{0} = EXCLUDED.{0}").format(name) for name in names if name != column]
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}").format(
        table,
        sql.SQL(", ").join(names),
        sql.SQL(", ").join([sql.Placeholder()] * len(row)),
        column,
        sql.SQL(", ").join(replaced),
    )
    shop.execute(statement, list(row.values()))


def _column(field: TopicField, told: Any) -> Any:
    """Return what a column holds: times are numbers in the log only."""
    if field.type != "timestamp" or told is None:
        return told
    return datetime.fromtimestamp(told / 1000, UTC).replace(tzinfo=None)
