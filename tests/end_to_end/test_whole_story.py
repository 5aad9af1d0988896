"""A replay on the real cluster, told as its user lives it: the shop is open all the while."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from headwater import apps, jobs, replay, supervision
from headwater.engines import Standalone
from headwater.errors import Refusal
from headwater.registry import connect, releases
from headwater.replay import ReplayRequest
from headwater.shop import Simulation, simulate
from spark_apps import catalog
from spark_apps.session import CATALOG
from tests.cluster.looking import APP, VIEW, driver_of, has_read_everything, wait_for
from tests.fixed_code import MORE, copy_code, fix_view, pack
from tests.streams import oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from tests.streams import Log

FIXED = f"{VIEW}.v3"


@contextmanager
def open_shop(settings: Settings, seed: int) -> Iterator[None]:
    """Let customers come and go until the story is told."""
    closed = threading.Event()

    def serve() -> None:
        day = 0
        while not closed.is_set():
            visits = Simulation(seed=seed + day, rate=20, count=100, repeated=0.05, late=0.02)
            simulate(settings, visits, report=lambda _: None)
            day += 1

    customers = threading.Thread(target=serve)
    customers.start()
    try:
        yield
    finally:
        closed.set()
        customers.join()


def seen_by_a_reader(lake: SparkSession) -> str:
    """Return which version one read of the view saw."""
    fixed = (F.col("views") > MORE).alias("fixed")
    found = [row.fixed for row in lake.table(f"{CATALOG}.views.{VIEW}").select(fixed).distinct().collect()]
    return {(): "nothing", (True,): "fixed", (False,): "old"}.get(tuple(found), "mix")


@contextmanager
def reading(lake: SparkSession) -> Iterator[set[str]]:
    """Read the view over and over; collect what the reads saw."""
    stop, seen = threading.Event(), set[str]()

    def read() -> None:
        while not stop.is_set():
            try:
                seen.add(seen_by_a_reader(lake))
            except Exception as error:  # a reader must never see one
                seen.add(repr(error))

    wait_for("the first rows", lambda: seen_by_a_reader(lake) == "old")
    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield seen
    finally:
        stop.set()
        reader.join()


def wish(artifact: str, **more: object) -> ReplayRequest:
    return ReplayRequest.check({"view": VIEW, "artifact": artifact, "dry_run": False, **more})


def catch_up(settings: Settings, key: str) -> None:
    wait_for("catching up", lambda: replay.progress(settings, key).caught_up)


def serving(settings: Settings) -> str:
    with connect(settings) as registry:
        return str(releases.live_version(registry, VIEW)["label"])


def test_view_is_rebuilt_promoted_rolled_back_and_released_while_the_shop_is_open(
    lake: SparkSession, instance: Settings, app: str, log: Log, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = copy_code(tmp_path_factory.mktemp("fixed"))
    fix_view(source, version=3)
    artifact, old = pack(instance, source), serving(instance)
    with open_shop(instance, seed=4000), reading(lake) as seen:
        replay.begin(instance, wish(artifact), "story")
        first = driver_of(instance)
        catch_up(instance, "story")

        # Asked again, as a task that is retried asks, it finds what it began.
        candidate = driver_of(instance, FIXED)
        assert replay.begin(instance, wish(artifact), "story").query == FIXED
        assert driver_of(instance, FIXED) == candidate
        with pytest.raises(Refusal, match="cannot be replayed like this") as refused:
            replay.begin(instance, wish(artifact), "another")
        assert "is under way" in refused.value.detail

        with pytest.raises(Refusal, match="has no proof yet"):
            replay.promote(instance, "story", "someone")
        assert serving(instance) == old
        jobs.run(instance, "prove", VIEW, "v3")
        proof = replay.proof_of(instance, "story")
        assert proof is not None
        assert proof.holds, proof.problems

        replay.promote(instance, "story", "someone")
        assert serving(instance) == "v3"
        replay.rollback(instance, VIEW, by="someone")
        assert serving(instance) == old
        replay.rollback(instance, VIEW, "v3", by="someone")
        assert supervision.tick(instance) == []  # readers moved, drivers did not
        assert driver_of(instance) == first

        replay.release(instance, VIEW)
        supervision.bring_about(instance, [APP, FIXED])
        apps.wait_until_alive(instance, APP)
        assert not Standalone(instance).running(candidate)
        with pytest.raises(Refusal, match="was released") as gone:
            replay.rollback(instance, VIEW)
        assert "headwater replay start" in gone.value.hint
    assert seen == {"old", "fixed"}

    wait_for("reading on after the release", lambda: has_read_everything(log))
    expected = oracle(lake, log, catalog.view(VIEW)).withColumn("views", F.col("views") + MORE)
    assertDataFrameEqual(lake.table(f"{CATALOG}.views.{VIEW}"), expected)


def test_rejected_replay_stops_its_app_and_leaves_the_view_alone(
    lake: SparkSession, instance: Settings, app: str, log: Log
) -> None:
    """From a time on: the candidate holds whole windows only, and begins with the first of them."""
    live = serving(instance)
    newest = lake.table(f"{CATALOG}.views.{VIEW}").agg(F.max("minute_at")).collect()[0][0]
    with connect(instance) as registry:
        artifact = releases.live_version(registry, VIEW)["artifact"]
    begun = replay.begin(instance, wish(artifact, start=f"{newest.isoformat()}Z"), "short")
    catch_up(instance, "short")
    with connect(instance) as registry:
        version = releases.version(registry, begun.query)
    table = f"{CATALOG}.{version['table_name']}"
    wait_for("its rows", lambda: has_read_everything(log, begun.query))
    served = lake.table(f"{CATALOG}.views.{VIEW}").where(F.col("minute_at") >= F.lit(version["seam_at"]))
    assertDataFrameEqual(lake.table(table), served)

    driver = driver_of(instance, begun.query)
    replay.reject(instance, "short", "only a try")
    assert not Standalone(instance).running(driver)
    assert replay.reject(instance, "short", "again").endswith("was rejected before")
    assert serving(instance) == live
    with pytest.raises(Refusal, match="has ended"):
        replay.begin(instance, wish(artifact), "short")
