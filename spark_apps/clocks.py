"""Whose clock is it anyway: three times per event, and the rules that make them one.

A device says when something occurred and when it sent the event, both by its own clock, which may be wrong.
The server says when it received it (the record's timestamp). The difference between sent and received is the
error of the device's clock, give or take the way here; taking it off `occurred_at` gives `event_time`.

All of it is decided from the record alone. So the same record is good, late or a repeat in every engine:
live, replayed, or in batch.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.bounds import CLOCK_TOLERANCE, OLDEST

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headwater.topics import Topic

RECEIVED = "unix_millis(timestamp)"  # SQL

# What a field of a topic is once it is an event's.
EVENT_TYPES = {
    "string": "STRING",
    "long": "BIGINT",
    "double": "DOUBLE",
    "decimal": "DECIMAL(18, 2)",
    "boolean": "BOOLEAN",
    "timestamp": "TIMESTAMP",
}


def rules() -> list[tuple[str, str]]:
    """Return the quarantine rules on times, as SQL: (broken, reason). try_subtract: 9e18 is a number, too."""
    error = f"try_subtract({RECEIVED}, event.sent_at)"
    held_back = "try_subtract(event.sent_at, event.occurred_at)"
    tolerance, oldest = _milliseconds(CLOCK_TOLERANCE), _milliseconds(OLDEST)
    return [
        (
            f"{error} IS NULL OR {error} >= {tolerance}",
            "'clock off: sent a day or more before it was received'",
        ),
        (f"{error} <= -{tolerance}", "'clock off: sent a day or more after it was received'"),
        (
            f"{held_back} IS NULL OR {held_back} <= -{tolerance}",
            "'from the future: occurred after it was sent'",
        ),
        (f"{held_back} > {oldest}", "'too old: held back for more than a day'"),
    ]


def correct(decoded: DataFrame, topic: Topic) -> DataFrame:
    """Turn decoded records into events: the topic's fields, with their times as timestamps.

    Adds `event_time`, `received_at`, the position in the log, and `clock_error` in milliseconds.
    """
    error = f"{RECEIVED} - event.sent_at"
    occurred_at = f"event.occurred_at + ({error})" if topic.clock == "device" else "event.occurred_at"
    return decoded.selectExpr(
        *(field(name, topic) for name in topic.fields),
        f"timestamp_millis(least({occurred_at}, {RECEIVED})) AS event_time",
        "timestamp AS received_at",
        f"{error} AS clock_error",
        "partition",
        "offset",
    )


def event_schema(topic: Topic) -> str:
    """Return the columns of an event that is kept: its fields, its time, and its place in the log."""
    return (
        f"{fields_schema(topic)}, event_time TIMESTAMP, received_at TIMESTAMP, partition INT, offset BIGINT"
    )


def fields_schema(topic: Topic) -> str:
    """Return the fields of a topic as columns, as SQL writes them."""
    return ", ".join(f"{name} {EVENT_TYPES[field.type]}" for name, field in topic.fields.items())


def field(name: str, topic: Topic) -> str:
    """Return SQL for a field of a decoded record, as it is in an event."""
    match topic.fields[name].type:
        case "timestamp":
            return f"timestamp_millis(event.{name}) AS {name}"
        case "decimal":
            return f"try_cast(event.{name} AS {EVENT_TYPES['decimal']}) AS {name}"
        case _:
            return f"event.{name}"


def late(lateness: timedelta) -> Column:
    """Late is a property of the event, not of the batch it happens to arrive in."""
    return F.expr(f"unix_millis(received_at) - unix_millis(event_time) > {_milliseconds(lateness)}")


def micros_of(rows: DataFrame, of: Column) -> int | None:
    """Return one time out of rows; as a number, because Spark's Python times are in the machine's zone."""
    found = rows.agg(F.unix_micros(of).alias("micros")).first()
    return found["micros"] if found else None


def _milliseconds(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
