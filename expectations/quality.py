"""The quality of live views: checked on a schedule, kept as history, and alarmed when it fails."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from expectations import measuring
from expectations.closing import Pin
from expectations.running import run_suite
from expectations.snapshots import lineage
from headwater import alarms
from headwater.errors import Refusal
from headwater.registry import connect
from headwater.replay.proof import CheckResult
from spark_apps import sinks
from spark_apps.histories import rows_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from expectations.closing import Topics
    from expectations.versions import Version
    from headwater.settings import Settings

RESULTS = "quality.results"
RESULTS_SCHEMA = (
    "checked_at TIMESTAMP, view STRING, version STRING, check STRING, severity STRING, success BOOLEAN, "
    "observed STRING, unexpected BIGINT"
)
RECENT = 1000  # snapshots: more than an hour has
RUNBOOK = "docs/data-quality.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found of one view."""

    version: Version
    results: list[CheckResult]

    @property
    def failed(self) -> list[CheckResult]:
        """The checks that somebody must look at."""
        return [result for result in self.results if not result.success and result.severity == "fail"]

    def __str__(self) -> str:
        lines = [f"{_word(result):<6} {result}: {result.seen}" for result in self.results]
        return "\n".join([f"{self.version.name}", *(f"  {line}" for line in lines)])


def check(
    spark: SparkSession, settings: Settings, topics: Topics, versions: Iterable[Version]
) -> list[Report]:
    """Check live versions: keep the results, raise an alarm for what fails, clear those that are over."""
    at = datetime.now(UTC)
    reports = [
        Report(version=version, results=_check(spark, settings, topics, version, at)) for version in versions
    ]
    _keep(spark, reports, at)
    for report in reports:
        _alarm(settings, report)
    return reports


def _check(
    spark: SparkSession, settings: Settings, topics: Topics, version: Version, at: datetime
) -> list[CheckResult]:
    """Look at one view. What goes wrong with it must not keep the others from being looked at."""
    history = lineage(spark, version.table, most=RECENT)
    if not history:
        return [_failed("history", "the view has never been written")]
    pin = Pin.newest(version, history)
    try:
        own = run_suite(settings, version, rows_at(spark, version.table, pin.snapshot), at)
    except Refusal as refusal:
        own = [_failed("suite", str(refusal))]
    return [
        *own,
        measuring.freshness(spark, settings, pin, at),
        measuring.volume(spark, settings, topics, pin),
        *measuring.rates(history, at),
    ]


def _failed(what: str, why: str) -> CheckResult:
    return CheckResult(expectation=what, arguments={}, severity="fail", success=False, error=why)


def _keep(spark: SparkSession, reports: list[Report], at: datetime) -> None:
    """Add all results of a run to their table, in one commit."""
    rows = [
        (at, report.version.view, report.version.label, str(result), result.severity, result.success,
         result.error or result.observed, result.unexpected)
        for report in reports
        for result in report.results
    ]  # fmt: skip
    sinks.create_table(spark, RESULTS, RESULTS_SCHEMA, "days(checked_at)")
    sinks.keep(spark.createDataFrame(rows, RESULTS_SCHEMA), RESULTS)


def _alarm(settings: Settings, report: Report) -> None:
    """Raise what fails now; clear what does not any more, also for checks that are gone."""
    view = report.version.view
    failing = {str(result): result for result in report.failed}
    with connect(settings) as registry:
        open_ones = [
            alarm["kind"]
            for alarm in alarms.open_alarms(registry)
            if alarm["subject"] == view and alarm["runbook"] == RUNBOOK
        ]
    for kind in set(open_ones) - failing.keys():
        alarms.clear(settings, view, kind)
    for kind, result in failing.items():
        alarms.raise_alarm(settings, view, kind, _message(view, result), RUNBOOK)


def _message(view: str, result: CheckResult) -> str:
    """Say what is wrong without values of events: an alarm travels further than a report."""
    seen = f"{result.unexpected:,} unexpected" if result.unexpected else result.error or result.observed
    return f'view "{view}": {result} does not hold' + (f": {seen}" if seen else "")


def _word(result: CheckResult) -> str:
    if result.success:
        return "holds"
    return "FAILS" if result.severity == "fail" else "warns"
