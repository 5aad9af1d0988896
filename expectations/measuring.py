"""What can be measured of every live view: how fresh it is, how many rows it gets, and what it leaves out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Literal

from pyspark.sql import functions as F

from expectations.closing import closed_until, moment_of
from headwater import offsets
from headwater.brokers import admin_client
from headwater.replay.proof import CheckResult
from spark_apps.histories import rows_at
from spark_apps.kafka_log import read_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from expectations.closing import Offsets, Pin, Topics
    from expectations.snapshots import Snapshot
    from headwater.settings import Settings

RECENT = timedelta(hours=1)
# A share of records that a view leaves out: above the first is worth a look, above the second an alarm.
WARN_SHARE, FAIL_SHARE = 0.05, 0.50
SHORTEST_SPAN = timedelta(hours=1)
SPANS = 24  # how far back volume is compared
FEWEST_SPANS = 3  # fewer tell nothing about what is usual
USUAL = (0.5, 2.0)  # times the median


def freshness(spark: SparkSession, settings: Settings, pin: Pin, at: datetime) -> CheckResult:
    """Tell how long the oldest record that a view has not read has been waiting."""
    goal = pin.version.declared.freshness
    waiting = [
        moment
        for topic in (*pin.version.declared.inputs, *pin.version.declared.tables)
        if (moment := _oldest_unread(spark, settings, topic, pin.offsets)) is not None
    ]
    behind = max(at - min(waiting), timedelta(0)) if waiting else timedelta(0)
    return CheckResult(
        expectation="freshness",
        arguments={"at_most": str(goal)},
        severity="fail",
        success=behind <= goal,
        observed=f"{timedelta(seconds=round(behind.total_seconds()))} behind the log",
    )


def _oldest_unread(spark: SparkSession, settings: Settings, topic: str, reached: Offsets) -> datetime | None:
    with admin_client(settings, settings.reader) as client:
        first, ends = offsets.beginnings(client, topic), offsets.ends(client, topic)
    parts = reached.get(topic, {})
    next_ones = {part: max(parts.get(str(part), 0), first[part]) for part in ends}
    if next_ones == ends:
        return None
    only_one = {part: min(offset + 1, ends[part]) for part, offset in next_ones.items()}
    return moment_of(read_range(spark, settings, topic, next_ones, only_one), F.min("timestamp"))


def volume(spark: SparkSession, settings: Settings, topics: Topics, pin: Pin) -> CheckResult:
    """Compare the rows of the last closed hour (or longer window) with what is usual."""
    span = max(SHORTEST_SPAN, pin.version.declared.window)
    counts = _rows_per_span(spark, settings, topics, pin, span)
    result = {"expectation": "volume", "arguments": {"per": str(span)}, "severity": "warn"}
    if len(counts) <= FEWEST_SPANS:
        return CheckResult(**result, success=True, observed="too little past to compare with")
    *past, last = counts
    usual = median(past)
    return CheckResult(
        **result,
        success=USUAL[0] * usual <= last <= USUAL[1] * usual,
        observed=f"{last:,} rows, usually {usual:,.0f}",
    )


def _rows_per_span(
    spark: SparkSession, settings: Settings, topics: Topics, pin: Pin, span: timedelta
) -> list[int]:
    """Count the rows of each closed span, oldest first, from the first one that the view knows wholly."""
    until = closed_until(spark, settings, topics, pin)
    if until is None:
        return []
    declared = pin.version.declared
    end = (until - datetime.fromtimestamp(0, UTC)) // span  # the first span still open
    number = F.floor(F.unix_seconds(declared.time) / span.total_seconds())
    rows = rows_at(spark, pin.version.table, pin.snapshot).select(number.alias("span"))
    recent = rows.where((F.col("span") < end) & (F.col("span") >= end - SPANS - 1))
    counts = {row["span"]: row["count"] for row in recent.groupBy("span").count().collect()}
    # The first span there is may have begun before the view did.
    return [counts.get(span, 0) for span in range(min(counts, default=end) + 1, end)]


def rates(history: Sequence[Snapshot], at: datetime) -> list[CheckResult]:
    """Tell which shares of the records of the last hour were quarantined, and which were left out as late."""
    counts = [
        counted
        for snapshot in history
        if at - snapshot.committed_at <= RECENT
        for partitions in snapshot.counts.values()
        for counted in partitions.values()
    ]
    arrived = sum(counted["arrived"] for counted in counts)
    return [
        _rate(what, sum(counted[what] for counted in counts), arrived) for what in ("quarantined", "late")
    ]


def _rate(what: str, number: int, arrived: int) -> CheckResult:
    share = number / arrived if arrived else 0.0
    severity: Literal["fail", "warn"] = "fail" if share > FAIL_SHARE else "warn"
    return CheckResult(
        expectation=what,
        arguments={"warn_above": f"{WARN_SHARE:.0%}", "fail_above": f"{FAIL_SHARE:.0%}"},
        severity=severity,
        success=share <= WARN_SHARE,
        observed=f"{number:,} of {arrived:,} records ({share:.1%})",
    )
