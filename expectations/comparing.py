"""Old against new: the rows of a candidate and of the live version, side by side, on closed windows.

Both are read at a pinned snapshot. A view that corrects its rows may still change a closed window, and one
version hears of it a moment before the other; so when rows differ, both are looked at again as soon as they
have read what the log held at the look before, and only rows that differ every time count.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from expectations.closing import Closed, Pin, closed_windows
from expectations.snapshots import lineage
from headwater import offsets
from headwater.brokers import admin_client
from headwater.replay.proof import Difference
from spark_apps import matching
from spark_apps.histories import rows_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from expectations.closing import Offsets, Topics
    from expectations.versions import Version
    from headwater.settings import Settings

LOOKS = 3
PATIENCE_SECONDS = 120.0
NEWEST = 50  # snapshots, among them the last two batches even after somebody has been at work by hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One comparison: the two versions at a moment, and their rows matched by key."""

    live: Pin
    candidate: Pin
    matched: DataFrame  # columns `live` and `candidate`, each a row or null, and `verdict`

    @property
    def suspects(self) -> DataFrame:
        """The rows that the versions do not agree on."""
        return self.matched.where("verdict <> 'equal'")

    @property
    def of_the_same_records(self) -> bool:
        """Whether both have read exactly the same; then there is nothing to wait for."""
        return self.live.offsets == self.candidate.offsets


def compare(
    spark: SparkSession,
    settings: Settings,
    topics: Topics,
    live: Version,
    candidate: Version,
    patience: float = PATIENCE_SECONDS,
) -> Difference:
    """Compare a candidate with the live version."""
    if (difference := _beforehand(spark, live, candidate)) is not None:
        return difference
    pins = _pin(spark, live), _pin(spark, candidate)
    closed = closed_windows(spark, settings, topics, *pins)
    look, looks = _look(spark, *pins, closed), 1
    while looks < LOOKS and not look.of_the_same_records and not look.suspects.isEmpty():
        _wait_until_read(spark, live, candidate, _ends(settings, look), patience)
        look, looks = _look_again(spark, look, closed), looks + 1
    return _difference(spark, look, closed, looks)


def _beforehand(spark: SparkSession, live: Version, candidate: Version) -> Difference | None:
    """Say what needs no look at rows: that they cannot be compared, or that there are none."""
    budget = candidate.declared.difference_budget
    if (reason := _incomparable(spark, live, candidate)) is not None:
        return Difference(live=live.label, incomparable=reason, budget=budget)
    if not all(lineage(spark, version.table, most=1) for version in (live, candidate)):
        return Difference(live=live.label, budget=budget)
    return None


def _incomparable(spark: SparkSession, live: Version, candidate: Version) -> str | None:
    if live.declared.keys != candidate.declared.keys:
        keys = [", ".join(version.declared.keys) for version in (live, candidate)]
        return f"its keys are {keys[1]} instead of {keys[0]}"
    types = [_types(spark, version) for version in (live, candidate)]
    changed = [
        f"{name} is {types[1][name]} instead of {was}"
        for name, was in types[0].items()
        if types[1].get(name, was) != was
    ]
    return "; ".join(changed) if changed else None


def _types(spark: SparkSession, version: Version) -> dict[str, str]:
    schema: StructType = spark.createDataFrame([], version.declared.schema).schema
    return {field.name: field.dataType.simpleString() for field in schema.fields}


def _pin(spark: SparkSession, version: Version) -> Pin:
    return Pin.newest(version, lineage(spark, version.table, most=NEWEST))


def _look(spark: SparkSession, live: Pin, candidate: Pin, closed: Closed) -> Look:
    sides = {"live": live, "candidate": candidate}
    rows = {side: _rows(spark, pin, closed) for side, pin in sides.items()}
    keys, uncompared = live.version.declared.keys, candidate.version.declared.uncompared
    found = matching.match(rows["live"], rows["candidate"], keys, uncompared)
    return Look(live=live, candidate=candidate, matched=found.persist())


def _rows(spark: SparkSession, pin: Pin, closed: Closed) -> DataFrame:
    rows = rows_at(spark, pin.version.table, pin.snapshot)
    return rows.where(closed.rows(pin.version.declared.time, pin.version.declared.closing))


def _look_again(spark: SparkSession, before: Look, closed: Closed) -> Look:
    """Look at the same windows later; a row that did not differ before is taken for equal."""
    live, candidate = (_pin(spark, pin.version) for pin in (before.live, before.candidate))
    now = _look(spark, live, candidate, closed)
    key = F.struct(*(matching.key(name) for name in live.version.declared.keys))
    suspects = before.suspects.select(key.alias("key")).distinct().withColumn("suspect", F.lit(True))
    joined = now.matched.withColumn("key", key).join(suspects, on="key", how="left")
    verdict = F.when(F.col("suspect").isNull(), "equal").otherwise(F.col("verdict"))
    found = joined.select("live", "candidate", verdict.alias("verdict"))
    return Look(live=live, candidate=candidate, matched=found.persist())


def _ends(settings: Settings, look: Look) -> Offsets:
    """Return where the log ends now, for the topics that both read."""
    with admin_client(settings, settings.reader) as client:
        return {
            topic: {str(part): end for part, end in offsets.ends(client, topic).items()}
            for topic in look.live.offsets.keys() & look.candidate.offsets.keys()
        }


def _wait_until_read(
    spark: SparkSession, live: Version, candidate: Version, ends: Offsets, patience: float
) -> None:
    """Wait until both have read up to `ends`; not for ever: one of them may have stopped."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if all(_has_read(_pin(spark, version).offsets, ends) for version in (live, candidate)):
            return
        time.sleep(2)


def _has_read(reached: Offsets, ends: Offsets) -> bool:
    return all(
        reached.get(topic, {}).get(partition, 0) >= end
        for topic, parts in ends.items()
        for partition, end in parts.items()
    )


def _difference(spark: SparkSession, look: Look, closed: Closed, looks: int) -> Difference:
    live, candidate = look.live.version, look.candidate.version
    return Difference(
        live=live.label,
        live_snapshot=look.live.snapshot,
        candidate_snapshot=look.candidate.snapshot,
        columns_of_one=(*_without(live, candidate), *_without(candidate, live)),
        uncompared=candidate.declared.uncompared,
        closed_from=closed.since,
        closed_until=closed.until,
        before_seam=_before_seam(spark, look, closed),
        admitted=_with_late_events(spark, look, closed),
        budget=candidate.declared.difference_budget,
        looks=looks,
        samples=matching.samples(look.matched, live.declared.keys),
        **matching.counts(look.matched),
    )


def _before_seam(spark: SparkSession, look: Look, closed: Closed) -> int:
    """Count the live rows of windows that the candidate does not have because it began later."""
    if closed.since is None:
        return 0
    time = look.live.version.declared.time
    return (
        rows_at(spark, look.live.version.table, look.live.snapshot).where(F.col(time) < closed.since).count()
    )


def _with_late_events(spark: SparkSession, look: Look, closed: Closed) -> int:
    """Count the live rows that are not compared because a backfill has let late events in."""
    if not closed.admitted:
        return 0
    time = look.live.version.declared.time
    rows = rows_at(spark, look.live.version.table, look.live.snapshot)
    return rows.where(closed.with_late_events(time)).count()


def _without(one: Version, other: Version) -> list[str]:
    """Name the columns that one version has and the other has not."""
    columns = other.declared.columns
    return [f"{name} ({one.label})" for name in one.declared.columns if name not in columns]
