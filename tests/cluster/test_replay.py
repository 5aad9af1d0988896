"""A replay on the real cluster, without Airflow: begun once, however often it is asked for, and given up."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from headwater import replay
from headwater.engines import Standalone
from headwater.errors import Refusal
from headwater.registry import connect, releases
from headwater.replay import ReplayRequest
from headwater.shop import Simulation, simulate
from spark_apps.session import CATALOG
from tests.cluster.looking import driver_of, has_read_everything
from tests.fixed_code import VIEW
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from tests.streams import Log


VIEWS = ("page_views",)
LONG_AGO = datetime.fromtimestamp(0, UTC)


def test_candidate_holds_whole_windows_from_its_start_on_and_is_gone_when_rejected(
    lake: SparkSession, instance: Settings, app: str, log: Log
) -> None:
    simulate(instance, Simulation(streams=VIEWS, seed=500, rate=200, count=200), report=lambda _: None)
    wait_for("rows to replay", lambda: has_read_everything(log))
    served = lake.table(f"{CATALOG}.views.{VIEW}")
    key = f"test-{uuid.uuid4().hex[:8]}"
    (newest,) = served.agg(F.unix_seconds(F.max("minute_at"))).collect()[0]
    request = wish(instance, start=datetime.fromtimestamp(newest, UTC).isoformat())

    begun = replay.begin(instance, request, key)
    driver = driver_of(instance, begun.query)
    assert replay.begin(instance, request, key) == begun  # as a task that is retried asks
    with pytest.raises(Refusal, match="cannot be replayed like this") as refused:
        replay.begin(instance, request, "another")
    assert "is under way" in refused.value.detail

    wait_for("catching up", lambda: replay.progress(instance, key).caught_up)
    wait_for("its rows", lambda: has_read_everything(log, begun.query))
    version = registered(instance, begun.query)
    assert version["status"] == "candidate"
    since = version["seam_at"] or LONG_AGO  # a log that is younger than a minute is replayed as a whole
    whole = F.col("minute_at") >= F.lit(since)
    assertDataFrameEqual(lake.table(f"{CATALOG}.{version['table_name']}"), served.where(whole))

    with pytest.raises(Refusal, match="has no proof yet"):
        replay.promote(instance, key, "someone")
    replay.reject(instance, key, "only a try")
    assert not any(map(Standalone(instance).running, {driver, driver_of(instance, begun.query)}))
    assert replay.reject(instance, key, "again").endswith("was rejected before")
    with pytest.raises(Refusal, match="has ended"):
        replay.begin(instance, request, key)


def wish(settings: Settings, **more: object) -> ReplayRequest:
    """Ask for the code that is live."""
    with connect(settings) as registry:
        artifact = releases.live_version(registry, VIEW)["artifact"]
    return ReplayRequest.check({"view": VIEW, "artifact": artifact, "dry_run": False, **more})


def registered(settings: Settings, query: str) -> dict[str, object]:
    with connect(settings) as registry:
        return releases.version(registry, query)
