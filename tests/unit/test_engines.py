"""What the cluster is asked for."""

from __future__ import annotations

from dataclasses import fields

import pytest

from headwater.engines import sizes
from headwater.engines.standalone import Standalone
from headwater.settings import Settings


@pytest.mark.parametrize(("written", "megabytes"), [("768m", 768), ("1g", 1024), ("2G", 2048)])
def test_sizes_are_read_as_spark_writes_them(written: str, megabytes: int) -> None:
    assert sizes.megabytes(written) == megabytes


def test_app_of_a_single_version_has_executors_of_one_core_that_share_the_memory() -> None:
    app = {"spark.executor.cores": "2", "spark.executor.memory": "3g", "spark.cores.max": "2"}
    own = {"spark.executor.cores": "1", "spark.executor.memory": "1536m"}
    assert sizes.apart(app) == app | own
    assert sizes.apart({**app, "spark.executor.cores": "8"})["spark.executor.memory"] == f"{sizes.SMALLEST}m"


def test_driver_in_a_cluster_of_somebody_else_is_told_where_everything_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings(**{field.name: "" for field in fields(Settings)})  # type: ignore[arg-type]
    assert Standalone(settings)._whereabouts() == {"SPARK_LOCAL_IP": "127.0.0.1"}
    monkeypatch.setenv("HEADWATER_ENVIRONMENT", settings.encoded())
    assert Standalone(settings)._whereabouts() == {"HEADWATER_ENVIRONMENT": settings.encoded()}
