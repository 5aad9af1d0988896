"""Rows as records of an output topic, for whoever listens: other views, the notifier, the live page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

    from headwater.topics import Topic, TopicField
    from spark_apps.view import View


def records(rows: DataFrame, view: View, topic: Topic) -> DataFrame:
    """Return key and value of the records that tell of these rows."""
    given = _given(view)
    told = rows.select(
        *(_value(rows, given, name, field).alias(name) for name, field in topic.fields.items())
    )
    return told.select(F.col(topic.key).alias("key"), F.to_json(F.struct("*")).alias("value"))


def _given(view: View) -> dict[str, Column]:
    """Return the fields that are no columns: what every record has, unless the view says otherwise."""
    standard = {
        "event_id": _id(view),
        "occurred_at": F.col(view.time),
        "sent_at": F.current_timestamp(),
    }
    said = view.publishes.fields if view.publishes else {}
    return standard | {name: F.expr(text) for name, text in said.items()}


def _value(rows: DataFrame, given: Mapping[str, Column], name: str, field: TopicField) -> Column:
    """Return a field: what is given, or the column of that name."""
    if name in given:
        value = given[name]
    else:
        value = F.col(name) if name in rows.columns else F.lit(None).cast("string")
    return F.unix_millis(value) if field.type == "timestamp" else value


def identity(view: View) -> tuple[str, ...]:
    """Return the columns that tell two records apart."""
    return (view.publishes and view.publishes.identity) or view.keys


def _id(view: View) -> Column:
    """Return the same id for the same record, however often it is written."""
    return F.sha2(F.to_json(F.struct(F.lit(view.name).alias("view"), *identity(view))), 256)
