"""Where every record went: per topic and partition, arrived = used + quarantined + late + repeated.

The counts are taken inside the running query, at the places where records leave it, and travel with the
batch's commit: rows and ledger appear together or not at all.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    Observed = dict[str, dict[str, Any]]  # observation -> metric -> value

LATEST = "received_up_to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the records of one partition in one batch."""

    arrived: int
    quarantined: int
    late: int
    repeated: int
    used: int


def observe_arrived(decoded: DataFrame, topic: str, partitions: Iterable[int]) -> DataFrame:
    """Count the records that came in, and those of them that go to quarantine."""
    metrics = [
        metric
        for partition in partitions
        for metric in (_count(partition, "arrived"), _count(partition, "quarantined", "reason IS NOT NULL"))
    ]
    return decoded.observe(f"{topic}/arrived", F.max("timestamp").alias(LATEST), *metrics)


def observe_late(events: DataFrame, topic: str, partitions: Iterable[int]) -> DataFrame:
    """Count the events that are late."""
    metrics = [_count(partition, "late", "late") for partition in partitions]
    return events.observe(f"{topic}/late", F.count_if("late").alias("late"), *metrics)


def observe_used(events: DataFrame, topic: str, partitions: Iterable[int]) -> DataFrame:
    """Count the events that reach the transform."""
    metrics = [_count(partition, "used") for partition in partitions]
    return events.observe(f"{topic}/used", F.count(F.lit(1)).alias("used"), *metrics)


def observe_stale(
    events: DataFrame, topic: str, clock: str, known: Mapping[str, int], final: datetime
) -> DataFrame:
    """Count the events that came after others were known, and are of a time that was taken for final."""
    read = " ".join(f"WHEN {partition} THEN {offset}" for partition, offset in known.items())
    is_new = F.expr(f"offset >= CASE partition {read} ELSE 0 END")
    return events.observe(f"{topic}/stale", F.count_if(is_new & (F.col(clock) < F.lit(final))).alias("stale"))


def stale(observed: Observed, topics: Iterable[str]) -> int:
    """Read how many events of a batch came too late for what was taken for final."""
    return sum(observed.get(f"{topic}/stale", {}).get("stale", 0) for topic in topics)


def counts(
    observed: Observed, topic: str, partitions: Iterable[int], *, late_used: bool
) -> dict[int, Counts]:
    """Read the counts of one topic out of what a batch observed; what is left over were repeats."""
    metrics = {
        name: value
        for part in ("arrived", "late", "used")
        for name, value in observed.get(f"{topic}/{part}", {}).items()
    }
    return {partition: _counts(metrics, partition, late_used) for partition in partitions}


def to_json(ledger: dict[str, dict[int, Counts]]) -> str:
    """Write the counts of all topics as they are stored with a commit."""
    return json.dumps(
        {topic: {str(p): asdict(c) for p, c in parts.items()} for topic, parts in ledger.items()}
    )


def _counts(metrics: dict[str, Any], partition: int, late_used: bool) -> Counts:
    arrived, quarantined, used = (
        metrics[f"{what}_{partition}"] for what in ("arrived", "quarantined", "used")
    )
    left_out = 0 if late_used else metrics.get(f"late_{partition}", 0)  # changes of a table are never late
    repeated = arrived - quarantined - left_out - used
    return Counts(arrived=arrived, quarantined=quarantined, late=left_out, repeated=repeated, used=used)


def _count(partition: int, what: str, condition: str = "true") -> Column:
    return F.expr(f"count_if(partition = {partition} AND {condition}) AS {what}_{partition}")
