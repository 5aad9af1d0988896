"""Explaining a row: the records behind it, found by guessing and proved by the view's own transform.

    gather     candidates in widening circles, until the transform over them alone gives exactly the row
    reduce     leave out, by halves and then one by one, what does not change the row
    tell       what is left was used; beside it, what agrees with the row and was late, repeated or no event

What comes out is sufficient, because the transform has said so; it is as small as the trials have allowed.
Of records that are as good as each other, such as two that are both the largest, one is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from headwater.bounds import CLOCK_TOLERANCE, OLDEST
from headwater.declared import columns_in
from headwater.errors import Refusal
from headwater.provenance import Behind, Provenance
from spark_apps import clocks, histories, internals, recomputing
from spark_apps.candidates import PLACE, Candidates, OfEvents, OfTables
from spark_apps.reducing import reduced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame, Row, SparkSession

    from headwater.provenance import Role
    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.histories import Newest
    from spark_apps.view import View

    Gathered = dict[str, pa.Table]  # candidates by topic
    Place = tuple[str, int]  # a topic, and which of its candidates

MOST_CANDIDATES = 100_000
TRIALS = 40
EQUAL = 1e-9  # as near as two sums of the same fractions are
NULL = "null"
EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Found:
    """One row: its values, and the same as texts, with times in UTC."""

    values: Row
    texts: dict[str, str]

    def same(self, other: Found | None) -> bool:
        """Say whether another row is the same; sums of fractions depend on the order of addition."""
        return other is not None and all(map(_same, self.values, other.values))


def explain(
    spark: SparkSession, settings: Settings, view: View, topics: Mapping[str, Topic], key: Mapping[str, str]
) -> Provenance:
    """Find the records behind the row of a key, or say what would be there."""
    seen = histories.newest(spark, view.table)
    if seen is None:
        raise Refusal(f'view "{view.name}" has no rows yet', hint="Wait for its first batch.")
    rows = histories.rows_at(spark, view.table, seen.snapshot).where(_at(view, key))
    until = _until(view, key, rows)
    needed = _records(spark, settings, view, key, seen, until)
    records = {name: internals.hold(found) for name, found in needed.items()}
    try:
        candidates = _candidates(spark, view, topics, key, records, until)
        return Explanation(spark, view, key, candidates, _first(rows)).told()
    finally:
        for held in records.values():
            internals.let_go(held)


def _candidates(
    spark: SparkSession,
    view: View,
    topics: Mapping[str, Topic],
    key: Mapping[str, str],
    records: Mapping[str, DataFrame],
    until: datetime | None,
) -> Candidates:
    if view.of_tables:
        return OfTables(spark, view, topics, records, key[view.unit])
    return OfEvents(view, topics, records, datetime.fromisoformat(key[view.time]), until)


def _records(
    spark: SparkSession,
    settings: Settings,
    view: View,
    key: Mapping[str, str],
    seen: Newest,
    until: datetime | None,
) -> dict[str, DataFrame]:
    """Return what the live query has read that the row can be made of, or that was late for it."""
    if view.of_tables:
        return recomputing.records_since(spark, settings, view, EPOCH, seen)
    since = datetime.fromisoformat(key[view.time])
    found = recomputing.records_since(spark, settings, view, since, seen)
    if until is None:
        return found
    near = F.col("timestamp") <= F.lit(until + CLOCK_TOLERANCE + OLDEST)  # older ones are no events
    return {name: part if name in view.tables else part.where(near) for name, part in found.items()}


def _until(view: View, key: Mapping[str, str], rows: DataFrame) -> datetime | None:
    """Return when the row closes; None if that is open, or if nobody knows without the row."""
    if view.of_tables:
        return None
    micros = clocks.micros_of(rows, F.max(F.expr(view.closing)))
    if micros is not None:
        return EPOCH + timedelta(microseconds=micros)
    known = rows.isEmpty() and not view.closes
    return datetime.fromisoformat(key[view.time]) + view.window if known else None


def _at(view: View, key: Mapping[str, str]) -> Column:
    """Say whether a row is the one of a key."""
    kinds = view.key_columns
    return reduce(and_, (F.col(name) == F.lit(key[name]).cast(kinds[name].lower()) for name in view.keys))


class Explanation:
    """One row, and the search for what it is made of."""

    def __init__(
        self,
        spark: SparkSession,
        view: View,
        key: Mapping[str, str],
        candidates: Candidates,
        served: Found | None,
    ) -> None:
        self._spark, self._view, self._key = spark, view, key
        self._candidates, self._served = candidates, served

    def told(self) -> Provenance:
        """Search, and tell what was found."""
        gathered, made = self._gather()
        proved = made is not None and self._is_it(made)
        kept, minimal = self._needed(gathered, made) if proved and made else ([*_places(gathered)], False)
        behind = [*_behind(gathered, kept, "used" if proved else "candidate"), *self._unused()]
        return Provenance(
            view=self._view.name,
            label=self._view.label,
            key=self._key,
            served=self._served.texts if self._served else None,
            made=made.texts if made else None,
            behind=self._in_full(behind),
            looked_at=sum(len(found) for found in gathered.values()),
            proved=proved,
            minimal=minimal,
        )

    @property
    def _known(self) -> dict[str, str]:
        """The texts of the row that an event may share with it."""
        return _texts(self._view, self._served.texts if self._served else self._key)

    def _is_it(self, made: Found) -> bool:
        return self._served is None or self._served.same(made)

    def _gather(self) -> tuple[Gathered, Found | None]:
        """Return the first candidates that give the row, or else the first that give any for the key."""
        best: tuple[Gathered, Found | None] | None = None
        for circle in self._candidates.circles(self._known, _texts(self._view, self._key)):
            gathered = {name: found.limit(MOST_CANDIDATES + 1).toArrow() for name, found in circle.items()}
            if max(map(len, gathered.values())) > MOST_CANDIDATES:
                break
            made = self._made(gathered)
            if made is not None and self._is_it(made):
                return gathered, made
            best = best if best and (best[1] or not made) else (gathered, made)
        if best is None:
            raise _too_many(self._view)
        return best

    def _made(self, chosen: Gathered) -> Found | None:
        """Run the view over candidates, and return the row of the key."""
        frames = {name: self._spark.createDataFrame(found) for name, found in chosen.items()}
        return _first(self._candidates.rows(frames).where(_at(self._view, self._key)))

    def _needed(self, gathered: Gathered, made: Found) -> tuple[list[Place], bool]:
        """Leave out candidates that do not change the row; those that share little with it go together."""

        def suffice(some: Sequence[Place]) -> bool:
            return made.same(self._made(_chosen(gathered, some)))

        shared = {name: _shared(found, self._known) for name, found in gathered.items()}
        closest_first = sorted(_places(gathered), key=lambda place: -shared[place[0]][place[1]])
        return reduced(closest_first, suffice, TRIALS)

    def _unused(self) -> Iterator[Behind]:
        for topic, found in self._candidates.unused(self._known):
            for row in found.withColumn("micros", F.unix_micros("event_time")).collect():
                at = None if row.micros is None else EPOCH + timedelta(microseconds=row.micros)
                yield _one(topic, row.partition, row.offset, at, row.role, row.because)

    def _frame_of(self, behind: Sequence[Behind]) -> DataFrame:
        rows = [{name: getattr(one, name) for name in PLACE} for one in behind]
        return self._spark.createDataFrame(pa.Table.from_pylist(rows))

    def _in_full(self, behind: Sequence[Behind]) -> list[Behind]:
        """Add to each record when it was received, and what it says; in the order in which they came."""
        known = {}
        for topic in {one.topic for one in behind}:
            places = self._frame_of([one for one in behind if one.topic == topic])
            read = self._candidates.records[topic].join(places, on=[*PLACE], how="left_semi")
            for row in read.select(*PLACE, F.unix_micros("timestamp").alias("micros"), "value").collect():
                known[topic, row.partition, row.offset] = row
        full = [_with_record(one, known[one.topic, one.partition, one.offset]) for one in behind]
        return sorted(full, key=lambda one: (one.role != "used", one.received_at, one.topic, one.offset))


def _texts(view: View, row: Mapping[str, str]) -> dict[str, str]:
    kinds = columns_in(view.schema)
    return {name: text for name, text in row.items() if kinds[name] == "STRING" and text != NULL}


def _too_many(view: View) -> Refusal:
    return Refusal(
        f'more records than anybody can look at may be behind this row of view "{view.name}"',
        detail=f"There are more than {MOST_CANDIDATES:,}.",
        hint=f"Replay its hour instead: `headwater verify {view.name} --slice FROM/TO`.",
    )


def _places(gathered: Gathered) -> Iterator[Place]:
    return ((name, number) for name, found in gathered.items() for number in range(len(found)))


def _chosen(gathered: Gathered, some: Iterable[Place]) -> Gathered:
    numbers: dict[str, list[int]] = {name: [] for name in gathered}
    for name, number in some:
        numbers[name].append(number)
    return {name: found.take(pa.array(sorted(numbers[name]), pa.int64())) for name, found in gathered.items()}


def _shared(found: pa.Table, known: Mapping[str, str]) -> list[int]:
    """Count for each candidate the texts that it shares with the row."""
    texts = [found[field.name] for field in found.schema if pa.types.is_string(field.type)]
    sought = pa.array(list(known.values()), pa.string())
    hits = [pc.is_in(column, value_set=sought).to_pylist() for column in texts]
    return [sum(row) for row in zip(*hits, strict=True)] or [0] * len(found)


def _behind(gathered: Gathered, kept: Iterable[Place], role: Role) -> Iterator[Behind]:
    for name, number in kept:
        (row,) = gathered[name].slice(number, 1).to_pylist()
        at = row.get("event_time") or row.get("changed_at")
        yield _one(name, row["partition"], row["offset"], at, role)


def _one(
    topic: str, partition: int, offset: int, at: datetime | None, role: Role, because: str = ""
) -> Behind:
    """Return a record of which only the place and the time are known yet."""
    return Behind(
        topic=topic,
        partition=partition,
        offset=offset,
        received_at="",
        event_time="" if at is None else _written(at),
        role=role,
        because=because,
    )


def _with_record(one: Behind, record: Row) -> Behind:
    value = None if record["value"] is None else bytes(record["value"]).decode(errors="backslashreplace")
    return replace(one, received_at=_written(EPOCH + timedelta(microseconds=record["micros"])), payload=value)


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")


def _first(rows: DataFrame) -> Found | None:
    values = F.struct(*rows.columns)
    as_text = values.cast(f"struct<{', '.join(f'{name}: string' for name in rows.columns)}>")
    row = rows.select(values.alias("row"), as_text.alias("text")).first()
    if row is None:
        return None
    texts = {name: NULL if text is None else text for name, text in row["text"].asDict().items()}
    return Found(values=row["row"], texts=texts)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=EQUAL)
    return bool(one == other)
