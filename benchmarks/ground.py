"""What measurements stand on: an instance of their own, and Spark in this process."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.local import platform
from headwater.local.steps import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings


@contextmanager
def bench_instance() -> Iterator[Settings]:
    """Start an instance without apps and customers; remove it afterwards, unless HEADWATER_KEEP is set."""
    os.environ.setdefault("HEADWATER_INSTANCE", "bench")
    try:
        yield platform.up(steps=[step for step in STEPS if step[0] in ("topics", "registry")])
    finally:
        if not os.environ.get("HEADWATER_KEEP"):
            platform.clean()


@contextmanager
def local_spark(settings: Settings) -> Iterator[SparkSession]:
    """Start Spark in this process, on two cores, as large as an app of a cluster that has them."""
    from spark_apps import session

    flags = {
        "driver-class-path": f"{settings.spark_jars}/*",
        "driver-memory": "3g",
        "master": "local[2]",
        "conf": "spark.ui.enabled=false",
    }
    arguments = " ".join(f"--{name} {value}" for name, value in flags.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{arguments} pyspark-shell"
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    spark = session.start(settings, "benchmark")
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()
