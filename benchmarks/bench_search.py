"""How `search_alerts` grows with the number of stored queries: `make bench-search [LISTINGS=100000]`.

The same listings meet one thousand, ten thousand and fifty thousand stored queries, which are counted in the
log before anything is measured. Were every listing compared with every query, fifty times the queries would
take fifty times as long.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from benchmarks.bench_views import replay
from benchmarks.ground import own_instance
from benchmarks.stored import EACH, TOPIC, TURNS, refuse_unless_in_force, turns_until
from headwater.shop import Simulation
from spark_apps import catalog
from tests.spark_fixture import platform_spark
from tests.streams import Log, new_log, rows_of

if TYPE_CHECKING:
    from headwater.settings import Settings

LISTINGS = int(os.environ.get("LISTINGS", "100000"))
QUERIES = (1_000, 10_000, 50_000)
HOUR = timedelta(hours=1)


def main() -> int:
    """Measure, and print."""
    console = Console()
    table = Table("stored queries", "listings", "seconds", "listings/s", "alerts")
    view = catalog.view("search_alerts")
    with (
        own_instance("bench", "topics", "registry") as settings,
        platform_spark(settings, "benchmark", memory="3g") as spark,
    ):
        for queries in QUERIES:
            log = loaded(settings, queries)
            refuse_unless_in_force(log, queries)
            replay(spark, log, view)  # the first one compiles
            version, took = replay(spark, log, view)
            alerts = rows_of(spark, version).count()
            cells = (f"{queries:,}", f"{LISTINGS:,}", f"{took:.1f}", f"{LISTINGS / took:,.0f}", f"{alerts:,}")
            table.add_row(*cells)
            console.print(*cells, sep="  ")
    console.print(table)
    return 0


def loaded(settings: Settings, queries: int) -> Log:
    """Return a log of so many stored queries and of listings an hour later."""
    log = new_log(settings, "listings", TOPIC)
    now = datetime.now(UTC)
    rate = queries * TURNS / HOUR.total_seconds()
    stored = Simulation(
        seed=3,
        streams=(TOPIC,),
        start=now - 3 * HOUR,
        rate=rate,
        count=queries * TURNS,
        users=queries // EACH,
    )
    stored = replace(stored, count=turns_until(stored, queries))
    listed = Simulation(seed=3, streams=("listings",), start=now - HOUR, rate=LISTINGS / 3000, count=LISTINGS)
    for simulation in (stored, listed):
        for _ in log.slices(simulation, simulation.count or 0):
            pass
    return log


if __name__ == "__main__":
    sys.exit(main())
