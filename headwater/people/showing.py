"""What the shop's tables hold of a person, for whoever may see it: opened with the person's key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.rows import dict_row

from headwater.people.keyring import Keyring, keyring
from headwater.shop import database
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.settings import Settings
    from headwater.topics import Topic


def rows_of(settings: Settings, person: str) -> dict[str, list[dict[str, Any]]]:
    """Return a person's rows in each table that holds something personal; tables without any are left out."""
    personal = [topic for topic in load_topics().values() if topic.personal and topic.table]
    with keyring(settings) as keys, database.connect(settings) as shop:
        cursor = shop.cursor(row_factory=dict_row)
        found = {}
        for topic in personal:
            statement = sql.SQL("SELECT {} FROM {} WHERE {} = %s ORDER BY {}").format(
                sql.SQL(", ").join(map(sql.Identifier, topic.fields)),
                *map(sql.Identifier, (topic.table, topic.person, topic.key)),
            )
            rows = cursor.execute(statement, [person]).fetchall()
            if rows:
                found[topic.table] = [_opened(keys, topic, row) for row in rows]
    return found


def _opened(keys: Keyring, topic: Topic, row: dict[str, Any]) -> dict[str, Any]:
    opened = {name: keys.open(row[topic.person], name, row[name]) for name in topic.personal if row[name]}
    return row | opened
