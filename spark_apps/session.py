"""The one place that configures Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from headwater.settings import Settings

CATALOG = "lake"
# How many times more often than the views say queries look for news: an environment with many cores can.
HASTE = "spark.headwater.haste"
STATE_STORE = "spark.sql.streaming.stateStore"
SQL_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # What pages, plans and logs never show the value of.
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|jaas",
    # Fixed for the life of a checkpoint: changing it means a new version of every view.
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.defaultCatalog": CATALOG,
    "spark.sql.streaming.minBatchesToRetain": "20",
    # A quiet input must not hold back a view that has others. Nothing is lost by it: how far apart inputs may
    # run is bounded by the late rule and the view's `disorder`, as it is for the partitions of one input.
    "spark.sql.streaming.multipleWatermarkPolicy": "max",
    # Every batch runs the same few plans. Spark keeps a hundred pieces of compiled code; a dozen views have
    # more, and each would be compiled anew for every batch.
    "spark.sql.codegen.cache.maxEntries": "2000",
    # A merge is told which days it touches; to find that out by a query of its own costs more than it saves.
    "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled": "false",
    # Of records with one identity, and of rows with one key, the first counts, and nearly all are alone with
    # theirs: to look for the first of each before the exchange sorts everything twice and drops nothing.
    "spark.sql.optimizer.windowGroupLimitThreshold": "-1",
    # Hadoop's local files start a process for each chmod and each look at a link: a quarter of all processor
    # time of a busy driver. This one asks Java instead, and a checkpoint needs nothing more of a file system.
    "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    # The file system keeps checksums of its own.
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    # A consumer for each partition that a query reads; all views together have more than a hundred, and with
    # room for 64, as is the default, each batch would connect and log in anew.
    "spark.kafka.consumer.cache.capacity": "1000",
    # Where in Python a column was written: several messages to the JVM for each, and only errors tell it.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Older batches first (see query.py).
    "spark.scheduler.mode": "FAIR",
    # What the UI would show of the past is memory that an app which never ends does not get back.
    "spark.sql.ui.retainedExecutions": "20",
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.sql.streaming.numRecentProgressUpdates": "3",
    # An empty batch moves the watermark, so that windows close when their time has come.
    "spark.sql.streaming.noDataMicroBatches.enabled": "true",
    f"{STATE_STORE}.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    f"{STATE_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{STATE_STORE}.rocksdb.boundedMemoryUsage": "true",
    f"{STATE_STORE}.rocksdb.maxMemoryUsageMB": "128",
    f"{STATE_STORE}.rocksdb.trackTotalNumberOfRows": "false",
}


def start(settings: Settings, name: str) -> SparkSession:
    """Start or join the Spark session, with the lake's catalog and our streaming defaults."""
    builder = SparkSession.builder.appName(name)
    for key, value in {**SQL_SETTINGS, **_catalog(settings), **_login(settings)}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    for namespace in (
        "versions",
        "views",
        "state",
        "late",
        "quarantine",
        "quality",
        "cold",
        "batch",
        "serving",
        "scratch",
    ):
        session.sql(f"CREATE NAMESPACE IF NOT EXISTS {CATALOG}.{namespace}")
    return session


def haste(spark: SparkSession) -> float:
    """Return how many times more often than declared this environment's queries look for news."""
    return float(spark.conf.get(HASTE, "1") or 1)


def _login(settings: Settings) -> dict[str, str]:
    """Return the secret of a cluster that wants one.

    Spark's workers know it, and do not tell their drivers (SPARK-25078); as a property of the submission it
    would be on a command line.
    """
    if settings.spark_app_properties.get("spark.authenticate") != "true":
        return {}
    return {"spark.authenticate.secret": settings.secret("spark.rpc")}


def _catalog(settings: Settings) -> dict[str, str]:
    prefix = f"spark.sql.catalog.{CATALOG}"
    address = f"jdbc:postgresql://{settings.postgres_host}:{settings.postgres_port}/headwater"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "jdbc",
        f"{prefix}.uri": address,
        f"{prefix}.jdbc.sslmode": settings.postgres_sslmode,
        f"{prefix}.jdbc.user": "headwater",
        f"{prefix}.jdbc.password": settings.secret("postgres.headwater"),
        f"{prefix}.jdbc.schema-version": "V1",  # the first that knows views
        f"{prefix}.warehouse": settings.warehouse,
        # Every streaming query opens the catalog for itself: one connection each is enough.
        f"{prefix}.clients": "1",
        # A promoted version must be seen at once, not after the cache's half minute.
        f"{prefix}.cache-enabled": "false",
    }
