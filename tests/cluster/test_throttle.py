"""A rebuild at a seam shares the real cluster: paused, let go on with one core, and then with all of them."""

from __future__ import annotations

import time
import urllib.request
import uuid
from typing import TYPE_CHECKING

from headwater import replay, supervision
from headwater.engines import Standalone
from headwater.observing import observe
from headwater.registry import connect, releases
from headwater.replay import ReplayRequest
from headwater.shop import Simulation, simulate
from spark_apps.session import CATALOG
from tests.cluster.looking import driver_of, has_read_everything
from tests.waiting import wait_for

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from tests.streams import Log

VIEW = "page_views_per_minute_received"  # its windows are final after minutes, so there is a history


def cores_of(settings: Settings, app: str) -> int:
    """Return how many cores the cluster has given the executors of an app."""
    status = Standalone(settings)._ask(urllib.request.Request(f"{settings.spark_ui_url}/json/"))
    return sum(running["cores"] for running in status["activeapps"] if running["name"] == app)


def state_of(settings: Settings, query: str) -> str:
    return next((status.state for status in observe(settings) if status.query == query), "")


def something_happens(settings: Settings) -> bool:
    """Let a few page views come in: a window is over when the log has gone on for long enough after it."""
    events = Simulation(streams=("page_views",), seed=time.time_ns(), rate=200, count=40)
    simulate(settings, events, report=lambda _: None)
    return True


def test_rebuild_is_paused_and_throttled_while_it_runs(
    lake: SparkSession, instance: Settings, app: str, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.replay.form.LONG", 0)  # a short log is long enough to be cut
    served = f"{CATALOG}.views.{VIEW}"
    wait_for("a window that is over", lambda: something_happens(instance) and lake.table(served).count())
    wait_for("rows to rebuild", lambda: has_read_everything(log))
    with connect(instance) as registry:
        artifact = releases.live_version(registry, VIEW)["artifact"]
    wish = {"view": VIEW, "artifact": artifact, "dry_run": False}
    key = f"test-{uuid.uuid4().hex[:8]}"
    query = replay.begin(instance, ReplayRequest.check(wish), key).query

    assert replay.throttle(instance, VIEW, 0) == f"{query} is paused"
    wait_for("a pause", lambda: state_of(instance, query) == "paused" and cores_of(instance, query) == 0)
    driver = driver_of(instance, query)
    assert not replay.progress(instance, key).caught_up
    assert supervision.tick(instance, [query]) == []

    assert replay.throttle(instance, VIEW, 1) == f"{query} may use 1 core"
    wait_for("one core", lambda: cores_of(instance, query) == 1)
    wait_for("catching up", lambda: replay.progress(instance, key).caught_up)
    assert cores_of(instance, query) == 1
    replay.throttle(instance, VIEW, None)
    wait_for("all cores", lambda: cores_of(instance, query) == 2)

    assert driver_of(instance, query) == driver  # it was the same one all the time
    with connect(instance) as registry:
        version = releases.version(registry, query)
    assert version["cut"]["until"].keys() == version["cut"]["start"].keys() == {"page_views"}

    def same_rows() -> bool:
        rows = [sorted(lake.table(name).collect()) for name in (served, f"{CATALOG}.{version['table_name']}")]
        return rows[0] == rows[1] != []

    wait_for("the same rows", same_rows)
    replay.reject(instance, key, "only a try")
