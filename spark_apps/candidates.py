"""The records that a row could be made of, from few to many.

A transform is a closed box: nobody can ask it which records a row is made of. What can be known beforehand is
when they happened, from the view's look-back to the closing of the row, and that most of them share something
with the row: a page, a person, an id. So candidates are gathered in widening circles, and whether one of them
is the right one is for the transform to say (`explaining.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import changelogs, pipeline, resolving, tables
from spark_apps.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pyspark.sql import Column, DataFrame, SparkSession

    from headwater.topics import Topic
    from spark_apps.view import View

    Frames = Mapping[str, DataFrame]  # by topic
    Values = Mapping[str, str]  # the texts of a row, by column

PLACE = ("partition", "offset")


class Candidates(ABC):
    """What one row of a view could be made of."""

    def __init__(self, view: View, topics: Mapping[str, Topic], records: Frames) -> None:
        self.view, self.records = view, records
        self.topics = {name: topics[name] for name in view.reads}

    @abstractmethod
    def circles(self, known: Values, key: Values) -> Iterator[Frames]:
        """Return candidates, by what is known of the row, by its key alone, and so on, each more than before.

        A candidate is an event or a change of a table, as the transform gets it, with its place in the log.
        """

    @abstractmethod
    def rows(self, chosen: Frames) -> DataFrame:
        """Run the view over candidates, and nothing else."""

    @abstractmethod
    def unused(self, known: Values) -> Iterator[tuple[str, DataFrame]]:
        """Return, by topic, what is no candidate and agrees with the row: place, time, `role`, `because`."""

    def _quarantined(self, name: str, known: Values) -> DataFrame:
        """Return the records that are no events, and in which the row's texts stand: more cannot be read."""
        shared = {column: text for column, text in known.items() if column in self.topics[name].fields}
        of_row = [_says(text) for text in (shared or known).values()]
        found = pipeline.quarantined(self.records[name], self.topics[name])
        agreeing = found.where(reduce(and_ if shared else or_, of_row, F.lit(True if shared else not known)))
        told = agreeing.withColumns({"role": F.lit("quarantined"), "because": F.col("reason")})
        return told.withColumn("event_time", F.lit(None).cast("timestamp")).transform(_told)


class OfEvents(Candidates):
    """Candidates of a view of events: those of the row's stretch of time, and all changes of its tables."""

    def __init__(
        self,
        view: View,
        topics: Mapping[str, Topic],
        records: Frames,
        since: datetime,
        until: datetime | None,  # None: as far as the log was read
    ) -> None:
        super().__init__(view, topics, records)
        self._since, self._until = since - view.look_back, until

    def circles(self, known: Values, key: Values) -> Iterator[Frames]:
        """Return those inside by what is known, by the key, then all of them, then all that was read."""
        events = {
            name: pipeline.batch_events(self.records[name], self.topics[name], self.view)
            for name in self.view.inputs
        }
        inside = {name: found.where(self._inside()) for name, found in events.items()}
        changes = {name: self._changes(name) for name in self.view.tables}
        for values in _different(known, key):
            agreeing = {name: found.where(agree(found, values)) for name, found in inside.items()}
            yield agreeing | {name: self._of_key(name, found, values) for name, found in changes.items()}
        yield inside | changes
        yield events | changes

    def rows(self, chosen: Frames) -> DataFrame:
        """Run the view over these events, and over the history that these changes make."""
        events = [chosen[name] for name in self.view.inputs]
        histories = [changelogs.history(chosen[name], self.topics[name]) for name in self.view.tables]
        made = resolving.resolved(pipeline.rows(self.view, events, histories), self.view)
        return pipeline.as_made(made)

    def unused(self, known: Values) -> Iterator[tuple[str, DataFrame]]:
        """Return what was late, repeated, or no event at all."""
        for name in self.view.inputs:
            events = pipeline.unused_events(self.records[name], self.topics[name], self.view)
            yield name, events.where(self._inside() & agree(events, known)).transform(_with_reason)
            yield name, self._quarantined(name, known).where(self._received_in_time())

    def _inside(self) -> Column:
        time = F.col(self.view.clock)
        inside = time >= F.lit(self._since)
        if self._until is None:
            return inside
        # What happens at the end of a window is of the next one; what happens at the end of waiting counts.
        until = F.lit(self._until)
        return inside & (time < until if self.view.grain == "window" else time <= until)

    def _received_in_time(self) -> Column:
        """Say whether a record came while it would have counted: when it happened, nobody can read in it."""
        received = F.col("received_at")
        in_time = received >= F.lit(self._since)
        return in_time & (received <= F.lit(self._until + self.view.lateness)) if self._until else in_time

    def _changes(self, name: str) -> DataFrame:
        return changelogs.changes(decode(self.records[name], self.topics[name]), self.topics[name])

    def _of_key(self, name: str, changes: DataFrame, values: Values) -> DataFrame:
        """Return the changes of things that the row names: a farewell has nothing but its key."""
        return changes.where(agree(changes.select(self.topics[name].key), values))


class OfTables(Candidates):
    """Candidates of a view of tables: the newest change of each table's row that touches the row's unit."""

    def __init__(
        self, spark: SparkSession, view: View, topics: Mapping[str, Topic], records: Frames, unit: str
    ) -> None:
        super().__init__(view, topics, records)
        self._spark, self._unit = spark, unit

    def circles(self, known: Values, key: Values) -> Iterator[Frames]:
        """Return those that touch the unit by what is known, by the key, then all of them, then all rows."""
        newest = {name: self._newest(name) for name in self.view.tables}
        touching = tables.touching(self._spark, self.view, newest, self.topics, self._unit)
        for values in _different(known, key):
            yield {name: found.where(agree(found, values)) for name, found in touching.items()}
        yield touching
        yield newest

    def rows(self, chosen: Frames) -> DataFrame:
        """Run the view over these rows of its tables."""
        seen = [changelogs.seen(chosen[name], self.topics[name], self.view) for name in self.view.tables]
        return pipeline.rows(self.view, [], seen)

    def unused(self, known: Values) -> Iterator[tuple[str, DataFrame]]:
        """Return what was no change at all."""
        for name in self.view.tables:
            yield name, self._quarantined(name, known)

    def _newest(self, name: str) -> DataFrame:
        topic = self.topics[name]
        changes = changelogs.changes(decode(self.records[name], topic), topic)
        return changelogs.newest(changes, topic, self.view.unit)


def agree(found: DataFrame, values: Values) -> Column:
    """Say whether a row agrees with values: on the columns of their names, or else on any text at all."""
    texts = [name for name, kind in found.dtypes if kind == "string"]
    if shared := [name for name in texts if name in values]:
        return reduce(and_, (F.col(name) == F.lit(values[name]) for name in shared))
    return reduce(or_, (F.col(name).isin(*values.values()) for name in texts), F.lit(not values))


def _different(known: Values, key: Values) -> tuple[Values, ...]:
    return (known,) if known == key else (known, key)


def _says(text: str) -> Column:
    """Say whether a record's key is a text, or its value has it among its texts."""
    value, key = F.col("value").cast("string"), F.col("key").cast("string")
    return F.coalesce(key == text, F.lit(False)) | F.coalesce(value.contains(f'"{text}"'), F.lit(False))


def _with_reason(unused: DataFrame) -> DataFrame:
    late, place = F.col("original").isNull(), F.concat_ws(":", "original.partition", "original.offset")
    held_back = F.expr("timestampdiff(SECOND, event_time, received_at)")
    reason = F.when(late, F.format_string("received %,d s after it happened", held_back))
    role = F.when(late, "late").otherwise("repeated")
    because = reason.otherwise(F.concat(F.lit("the same as "), place))
    return unused.withColumns({"role": role, "because": because}).transform(_told)


def _told(events: DataFrame) -> DataFrame:
    return events.select(*PLACE, "event_time", "received_at", "role", "because")
