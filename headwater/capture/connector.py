"""The connector that follows the shop's database, as a pure function of the declared topics.

A topic with a `table` tells the changes of that table. Debezium reads them from the server's write-ahead log;
on the way to the log each change is taken out of Debezium's envelope, in this one place:

    {"before": …, "after": {"user_id": …}, "source": {"lsn": …}, "op": "u"}   →   {"user_id": …, "lsn": …}

So a changelog holds the rows as they are in the database, with their place in its log and the time of their
commit; a row that is gone is told with its key, `__deleted` and then no value at all, as compaction wants it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from headwater.settings import Settings
    from headwater.topics import Topic

ROLE = "capture"  # in PostgreSQL
PUBLICATION = "shop"
HEARTBEAT_MS = 10_000


def connector(settings: Settings, topics: Iterable[Topic], database: str) -> dict[str, str]:
    """Return the connector's configuration, in the words of Connect and Debezium.

    Connector, replication slot and database share a name.
    """
    tables = {topic.table: topic for topic in topics if topic.table}
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "tasks.max": "1",
        "exactly.once.support": "required",
        **_database(settings, database),
        **_what(tables, database),
        **_values(),
        **_transforms(tables, database),
    }


def _database(settings: Settings, name: str) -> dict[str, str]:
    return {
        "database.hostname": settings.postgres_host,
        "database.port": str(settings.postgres_port),
        "database.sslmode": settings.postgres_sslmode,
        "database.dbname": name,
        "database.user": ROLE,
        # Looked up by the worker itself: whoever reads the configuration reads no password.
        "database.password": settings.connect_capture_password,
        "plugin.name": "pgoutput",
        "slot.name": name,
        "publication.name": PUBLICATION,
        "publication.autocreate.mode": "disabled",
        # A slot that was lost and made anew is ahead of what was read: stop, and let a person decide.
        "offset.mismatch.strategy": "trust_offset",
        # A quiet database still has to confirm what was read, or the server keeps its log for ever.
        "heartbeat.interval.ms": str(HEARTBEAT_MS),
        "heartbeat.action.query": "UPDATE heartbeat SET beaten_at = now() AT TIME ZONE 'UTC'",
        "topic.heartbeat.prefix": "connect-heartbeat",
    }


def _what(tables: Mapping[str, Topic], name: str) -> dict[str, str]:
    return {
        "topic.prefix": name,
        "table.include.list": ",".join(f"public.{table}" for table in sorted(tables)),
        "snapshot.mode": "initial",
        "signal.enabled.channels": "source",
        "signal.data.collection": "public.signals",
        "poll.interval.ms": "100",
        "topic.creation.default.partitions": "1",
        "topic.creation.default.replication.factor": "-1",
    }


def _values() -> dict[str, str]:
    return {
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "decimal.handling.mode": "string",  # exact, whatever reads it
        "time.precision.mode": "connect",  # milliseconds
    }


def _transforms(tables: Mapping[str, Topic], name: str) -> dict[str, str]:
    """Take changes out of their envelope, and give each its key and its topic; signals are no changes."""
    steps: dict[str, dict[str, str]] = {
        "signals": {
            "type": "org.apache.kafka.connect.transforms.Filter",
            "predicate": "is_signal",
        },
        "unwrap": {
            "type": "io.debezium.transforms.ExtractNewRecordState",
            "delete.tombstone.handling.mode": "rewrite-with-tombstone",
            "add.fields": "source.lsn:lsn,source.ts_ms:committed_at",
            "add.fields.prefix": "",
        },
    }
    predicates = {"is_signal": rf"{name}\.public\.signals"}
    for table, topic in sorted(tables.items()):
        steps[f"key_of_{table}"] = {
            "type": "org.apache.kafka.connect.transforms.ExtractField$Key",
            "field": topic.key,
            "predicate": f"is_{table}",
        }
        predicates[f"is_{table}"] = rf"{name}\.public\.{table}"
    for table, topic in sorted(tables.items()):
        steps[f"topic_of_{table}"] = {
            "type": "org.apache.kafka.connect.transforms.RegexRouter",
            "regex": rf"{name}\.public\.{table}",
            "replacement": topic.name,
        }
    return {
        "transforms": ",".join(steps),
        **{
            f"transforms.{step}.{key}": value
            for step, options in steps.items()
            for key, value in options.items()
        },
        "predicates": ",".join(predicates),
        **{
            f"predicates.{predicate}.{key}": value
            for predicate, pattern in predicates.items()
            for key, value in {
                "type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches",
                "pattern": pattern,
            }.items()
        },
    }
