"""The batch layer: closed days of views, computed once more from the cold log by the same transform.

For each day: compute, compare with the speed layer, commit to the batch table of the version, and switch
readers of `serving.<view>` to it. The rows are committed before the switch, so a run that dies in between has
changed nothing for readers, and the next one finds out that the rows are there.

Where the layers differ, the batch layer is served all the same: its rows follow from the log alone, in one
step that can be repeated, while those of the speed layer are what a long history of batches has left. But it
is told: beyond the view's `difference_budget` as an alarm.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from headwater import alarms, batch_layer
from headwater.batch_layer import NotYet, Outcome
from headwater.errors import Refusal
from headwater.registry import alone, connect, releases
from headwater.replay.between import Between
from headwater.replay.proof import Difference
from spark_apps import catalog, closed_days, histories, internals, matching, sinks
from spark_apps.closed_days import DAY
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.view import View

SPEED = "speed"
ALARM = "layers differ"


def run(
    spark: SparkSession,
    settings: Settings,
    topics: Mapping[str, Topic],
    views: Iterable[View],
    day: date | None = None,
) -> list[Outcome]:
    """Compute a day of views, or what is due of each; keep what came of it."""
    began_at = datetime.now(UTC)
    outcomes = [outcome for view in views for outcome in run_view(spark, settings, topics, view, day)]
    batch_layer.keep_run(settings, began_at, outcomes)
    return outcomes


def run_view(
    spark: SparkSession, settings: Settings, topics: Mapping[str, Topic], view: View, day: date | None = None
) -> Iterator[Outcome]:
    """Compute a day of one view, or what is due. What goes wrong keeps nobody from the others."""
    try:
        with alone(settings, f"batch layer of {view.name}"):
            live = _live(settings, view)
            built = replace(view, build=live["build"])
            for chosen in [day] if day else _due(spark, settings, built):
                yield _outcome(spark, settings, topics, built, live, chosen, asked=day is not None)
            _tell(settings, live)
    except Refusal as refusal:
        failed = day is not None or not isinstance(refusal, NotYet)
        yield Outcome(view=view.name, done=_in_words(refusal), failed=failed)


def _live(settings: Settings, view: View) -> dict[str, Any]:
    """Return the version that readers see; its logic must be that of the code that runs here."""
    closed_days.refuse_without_days(view)
    with connect(settings) as registry:
        live = releases.live_version(registry, view.name)
    if live["fingerprint"] != catalog.fingerprint(view):
        raise NotYet(
            f'the code here is not that of {live["label"]} of view "{view.name}", which is live',
            detail="A day belongs to the logic that made it.",
            hint=f"Replay and promote version {view.version}, or run it from the code of {live['label']}.",
        )
    return live


def _due(spark: SparkSession, settings: Settings, view: View) -> list[date]:
    """Return the days to compute, none from before the first that the speed layer has."""
    with connect(settings) as registry:
        days = batch_layer.due(batch_layer.held(registry, view.query), datetime.now(UTC).date())
    first = spark.table(f"{CATALOG}.{view.table}").agg(F.min(F.to_date(view.time)).alias("day")).first()
    return [day for day in days if first and first["day"] and day >= first["day"]]


def _outcome(
    spark: SparkSession,
    settings: Settings,
    topics: Mapping[str, Topic],
    view: View,
    live: Mapping[str, Any],
    day: date,
    *,
    asked: bool,
) -> Outcome:
    try:
        done, failed = compute(spark, settings, topics, view, live["seam_at"], day), False
    except NotYet as refusal:
        done, failed = _in_words(refusal), asked
    except Refusal as refusal:
        done, failed = _in_words(refusal), True
    except (Py4JJavaError, PySparkException) as error:
        done, failed = str(error).splitlines()[0], True
    return Outcome(view=view.name, day=day.isoformat(), done=done, failed=failed)


def compute(
    spark: SparkSession,
    settings: Settings,
    topics: Mapping[str, Topic],
    view: View,
    seam_at: datetime | None,
    day: date,
) -> str:
    """Compute a closed day of a version, compare, commit, and let readers have it; say what came of it."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    rows, settled = closed_days.rows_of(spark, settings, view, topics, midnight)
    try:
        sinks.create_table(spark, view.batch_table, view.schema, f"days({view.time})")
        difference = _difference(spark, view, rows, midnight, seam_at, settled.newest.snapshot)
        news = _is_news(spark, view, rows, midnight)
        if news:
            sinks.replace_day(rows, view, midnight, settled.newest.offsets, catalog.fingerprint(view))
        batch_layer.switch(settings, view.query, day, rows.count(), settled.newest.offsets, difference)
        return _done(rows.count(), difference, news=news)
    finally:
        internals.let_go(rows)


def _difference(
    spark: SparkSession,
    view: View,
    rows: DataFrame,
    midnight: datetime,
    seam_at: datetime | None,
    snapshot: int,
) -> Difference:
    """Compare a day with the speed layer, as far back as that reaches."""
    since = max(midnight, seam_at) if seam_at else midnight
    whole = F.col(view.time) >= F.lit(since)
    speed = histories.rows_at(spark, view.table, snapshot)
    matched = internals.hold(
        matching.match(_of_day(speed, view, midnight).where(whole), rows.where(whole), view.keys)
    )
    try:
        return Difference(
            live=SPEED,
            live_snapshot=snapshot,
            closed_from=since,
            closed_until=midnight + DAY,
            budget=view.difference_budget,
            samples=matching.samples(matched, view.keys),
            **matching.counts(matched),
        )
    finally:
        internals.let_go(matched)


def _is_news(spark: SparkSession, view: View, rows: DataFrame, midnight: datetime) -> bool:
    """Say whether the batch table has anything else of a day."""
    there = _of_day(spark.table(f"{CATALOG}.{view.batch_table}"), view, midnight)
    return not matching.match(there, rows, view.keys).where("verdict <> 'equal'").isEmpty()


def _of_day(rows: DataFrame, view: View, midnight: datetime) -> DataFrame:
    return rows.where(sinks.between(view.time, Between(first=midnight, after=midnight + DAY)))


def _done(count: int, difference: Difference, *, news: bool) -> str:
    kept = "computed and served" if news else "computed again, and the same"
    compared = "as the speed layer has them"
    if difference.share:
        compared = (
            f"{difference.different:,} different from the speed layer, "
            f"{difference.only_candidate:,} only here, {difference.only_live:,} only there"
        )
    return f"{count:,} rows {kept}; {compared}"


def _tell(settings: Settings, live: Mapping[str, Any]) -> None:
    """Raise the alarm while days of the live version differ beyond the budget; clear it when none does."""
    with connect(settings) as registry:
        differ = [day for day in batch_layer.held(registry, live["query"]).values() if day.differs]
    if not differ:
        alarms.clear(settings, live["view"], ALARM)
        return
    shares = ", ".join(f"{day.day} ({day.difference.share:.2%})" for day in differ)
    message = f'view "{live["view"]}": batch layer and speed layer do not agree on {shares}'
    alarms.raise_alarm(settings, live["view"], ALARM, message)


def _in_words(refusal: Refusal) -> str:
    return " ".join(part for part in (f"{refusal.primary}.", refusal.detail) if part)
