"""Spark in this process: for tests that need no platform, and with the catalog and the log of one."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


# Tests run many plans once each: compiling them well would take longer than running them.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
# Room from the start: a heap that grows step by step spends a tenth of the time on collecting garbage.
ROOMY = "-Xms3500m -Xmn1200m -XX:MetaspaceSize=512m"


@contextmanager
def platform_spark(settings: Settings, name: str, memory: str, options: str = "") -> Iterator[SparkSession]:
    """Start Spark in this process, on two cores, with the catalog and the log of an instance."""
    from spark_apps import session

    flags = {
        "driver-class-path": f"{settings.spark_jars}/*",
        "driver-java-options": f"'{options}'",
        "driver-memory": memory,
        "master": "local[2]",
        "conf": "spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false",
    }
    arguments = " ".join(f"--{flag} {value}" for flag, value in flags.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{arguments} pyspark-shell"
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    spark = session.start(settings, name)
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("unit tests")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": QUICK_START,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",  # a handful of rows needs no second thoughts
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # Rows made by hand could be computed while planning; they should take the way of all others.
        "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
