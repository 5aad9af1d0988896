"""Event time and received time side by side, against expectations made without any of our code."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from headwater.shop import Outage, Simulation, records
from spark_apps import catalog
from tests.streams import Log, job_of, new_log, rows_of, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from headwater.settings import Settings

MINUTE = timedelta(minutes=1)
VIEWS = ("page_views",)
START = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=2)


def per_minute(moments: Iterable[int]) -> Counter[datetime]:
    """Count epoch milliseconds by the minute."""
    return Counter(datetime.fromtimestamp(moment // 60_000 * 60, UTC) for moment in moments)


def views_per_minute(spark: SparkSession, log: Log, name: str) -> Counter[datetime]:
    view = log.view(catalog.view(name))
    run(spark, job_of(spark, log, view))
    counts: Counter[datetime] = Counter()
    for row in rows_of(spark, view).collect():
        counts[row.minute_at.replace(tzinfo=UTC)] += row.views
    return counts


def test_after_an_outage_only_the_received_time_shows_a_spike(lake: SparkSession, instance: Settings) -> None:
    """Devices cannot reach the shop for twenty minutes, then send all they have kept.

    looked     ▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂
    received   ▂▂▂▂▂▂······█▂▂▂▂▂
    """
    outage = Outage(after=timedelta(minutes=20), lasting=timedelta(minutes=20))
    simulation = Simulation(
        streams=VIEWS, seed=2, rate=2, start=START, duration=timedelta(hours=1), outage=outage
    )
    sent = list(records(simulation))
    log = new_log(instance)
    log.load(simulation)

    looked = views_per_minute(lake, log, "page_views_per_minute")
    assert looked == per_minute(record.happened_at for record in sent)
    quiet = looked.total() / len(looked)
    assert max(looked.values()) < 2 * quiet

    received = views_per_minute(lake, log, "page_views_per_minute_received")
    arrivals = per_minute(record.received_at for record in sent)
    assert received == Counter({minute: arrivals[minute] for minute in received})
    assert max(received.values()) > 10 * quiet
    during = [received[START + outage.after + number * MINUTE] for number in range(1, 20)]
    assert during == [0] * 19


def test_wrong_clocks_do_not_move_an_event_to_another_minute(lake: SparkSession, instance: Settings) -> None:
    simulation = Simulation(streams=VIEWS, seed=3, rate=2, start=START, count=2000, wrong_clock=0.5)
    sent = list(records(simulation))
    log = new_log(instance)
    log.load(simulation)
    looked = views_per_minute(lake, log, "page_views_per_minute")
    assert looked == per_minute(record.happened_at for record in sent)
    span = max(looked) - min(looked)
    assert span < timedelta(minutes=20), "clocks that are hours off would spread the views over hours"
