"""The end of the story: events came all through rebuild, promotion and release; none lost, none doubled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.testing import assertDataFrameEqual

from headwater import replay, supervision
from headwater.errors import Refusal
from headwater.local import shop
from headwater.registry import apps, connect, releases
from spark_apps import catalog
from spark_apps.session import CATALOG
from tests.cluster.looking import APP, has_read_everything
from tests.end_to_end.looking import run_of, trigger, wait_for_run
from tests.fixed_code import VIEW
from tests.streams import Log, oracle
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.airflow_api import Airflow
    from headwater.settings import Settings


def test_released_view_equals_the_batch_engine_over_the_whole_log(
    lake: SparkSession, busy_shop: Settings, airflow: Airflow, log: Log
) -> None:
    """After the browser has replayed, promoted and rolled back, and Airflow has died in another replay."""
    run = trigger(airflow, "release", views=[VIEW])
    wait_for_run(airflow, "release", run, "success")
    assert VIEW in run_of(airflow, "release", run)["note"]
    supervision.bring_about(busy_shop, [APP])
    with connect(busy_shop) as registry:
        live, group = releases.live_version(registry, VIEW), apps.app(registry, APP)
    assert group is not None
    assert live["query"] in group["queries"]
    with pytest.raises(Refusal, match="was released"):
        replay.rollback(busy_shop, VIEW)

    shop.stop(Path(busy_shop.home))
    wait_for("reading the last events", lambda: has_read_everything(log))
    assertDataFrameEqual(lake.table(f"{CATALOG}.views.{VIEW}"), oracle(lake, log, catalog.view(VIEW)))
