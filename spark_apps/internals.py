"""What Spark knows of the batch it is running, but tells only afterwards.

The counts of a batch must travel with its commit, and a batch that lost rows must not be committed at all; so
both are read from the running query's own plan instead of from its progress report. Every access to Spark's
insides is here; the tests of the ledger and of dropped rows fail if one of them stops telling the truth.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

DROPPED = "numRowsDroppedByWatermark"


def observed(query: StreamingQuery) -> dict[str, dict[str, Any]]:
    """Return the observations of the batch that is running, once its rows have been computed."""
    metrics = _execution(query).observedMetrics()
    rows = metrics.toList()
    return {rows.apply(i)._1(): json.loads(rows.apply(i)._2().json()) for i in range(rows.size())}


def dropped_rows(spark: SparkSession, query: StreamingQuery) -> int:
    """Return how many rows the running batch lost to the watermark: any is too many."""
    plan = _execution(query).executedPlan()
    counters = (node.metrics() for node in _nodes(spark, plan))
    return sum(found.apply(DROPPED).value() for found in counters if found.contains(DROPPED))


def planned_offsets(spark: SparkSession, checkpoint: str, batch: int) -> dict[str, dict[str, int]]:
    """Return the offsets up to which a batch reads, from the plan that Spark wrote before running it."""
    _version, _metadata, *sources = _read(spark, f"{checkpoint}/offsets/{batch}").splitlines()
    return log_offsets(json.loads(source) for source in sources if source != "-")


def planned_watermark(spark: SparkSession, checkpoint: str, batch: int) -> datetime:
    """Return up to when a batch gives out rows that appear once, when they are final."""
    _version, metadata, *_sources = _read(spark, f"{checkpoint}/offsets/{batch}").splitlines()
    return datetime.fromtimestamp(json.loads(metadata)["batchWatermarkMs"] / 1000, UTC)


def first_offsets(spark: SparkSession, checkpoint: str, source: int) -> dict[str, dict[str, int]]:
    """Return where a source of a query began to read, from Spark's note before its first batch."""
    note = _read(spark, f"{checkpoint}/sources/{source}/0")
    return log_offsets([json.loads(note[note.index("{") :])])  # after the number of the format


def log_offsets(sources: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Put the offsets of a query's sources together; those that are not the log count in other ways."""
    return {
        topic: offsets for source in sources for topic, offsets in source.items() if isinstance(offsets, dict)
    }


def exists(spark: SparkSession, path: str) -> bool:
    """Say whether there is such a file."""
    file, files = _file(spark, path)
    return bool(files.exists(file))


def size_of(spark: SparkSession, path: str) -> int:
    """Return how many bytes the files in a folder have, and in those below it."""
    file, files = _file(spark, path)
    return int(files.getContentSummary(file).getLength()) if files.exists(file) else 0


def _read(spark: SparkSession, path: str) -> str:
    file, files = _file(spark, path)
    stream = files.open(file)
    try:
        return str(_class(spark, "org.apache.commons.io.IOUtils").toString(stream, "UTF-8"))
    finally:
        stream.close()


def _file(spark: SparkSession, path: str) -> tuple[JavaObject, JavaObject]:
    file = _class(spark, "org.apache.hadoop.fs.Path")(path)
    return file, file.getFileSystem(spark._jsc.hadoopConfiguration())


def share_done(spark: SparkSession) -> float | None:
    """Return which share of its tasks the largest running stage has done."""
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    largest = max((stage for stage in stages if stage), key=lambda stage: stage.numTasks, default=None)
    return largest.numCompletedTasks / largest.numTasks if largest else None


def local_properties(spark: SparkSession) -> JavaObject:
    """Return the settings of the thread that runs a batch; changing them concerns the jobs still to come."""
    return spark._jsc.sc().getLocalProperties()


def let_go_of_state(spark: SparkSession) -> None:
    """End Spark's care for the state of queries that are over.

    It tidies up after them every minute, and would make folders anew that somebody has removed. What other
    queries remember in this process is read again from their checkpoints.
    """
    stores = _class(spark, "org.apache.spark.sql.execution.streaming.state.StateStore$")
    getattr(stores, "MODULE$").stop()


def use_cores(spark: SparkSession, cores: int | None) -> None:
    """Use so many cores from now on, or all that were given: what runs on others runs again on these.

    To be asked for again and again: an executor that was about to start when the cluster heard of it comes as
    well.
    """
    context, python = spark._jsc.sc(), _class(spark, "org.apache.spark.api.python.PythonUtils")
    given = spark.sparkContext.getConf()
    each = int(given.get("spark.executor.cores") or 1)
    everything = int(given.get("spark.cores.max") or each * int(given.get("spark.executor.instances") or 1))
    wanted = -(-(everything if cores is None else cores) // each)
    running = context.getExecutorIds()
    if surplus := [running.apply(place) for place in range(wanted, running.size())]:
        context.killExecutors(python.toSeq(surplus))
    # Afterwards: to end an executor is to want one less.
    context.requestTotalExecutors(wanted, 0, python.toScalaMap(_class(spark, "java.util.HashMap")()))


def hold(rows: DataFrame) -> DataFrame:
    """Compute rows that follow from tables, once, and have them until `let_go`.

    `persist` would do worse than nothing: whenever one of the tables is written to, Spark plans everything
    anew that it has cached of it, computes it again from what is there by then, and no longer finds it when
    it is to be let go.
    """
    return rows.localCheckpoint()


def let_go(held: DataFrame) -> None:
    """Give back the memory of rows that were held."""
    held._jdf.queryExecution().analyzed().rdd().unpersist(False)


def iceberg_table(spark: SparkSession, name: str) -> JavaObject:
    """Return Iceberg's own handle of a table, for what SQL cannot say."""
    tables = _class(spark, "org.apache.iceberg.spark.Spark3Util")
    return tables.loadIcebergTable(spark._jsparkSession, name)


def snapshots(spark: SparkSession, name: str) -> Iterator[JavaObject]:
    """Return the snapshots that led to a table's present, newest first."""
    table = iceberg_table(spark, name)
    snapshot = table.currentSnapshot()
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = table.snapshot(parent) if parent is not None else None


def _class(spark: SparkSession, name: str) -> Any:
    """Return a class of the JVM, asked for once: to look one up is a message, and one for each dot before it.

    Kept where Spark's own Python looks, too.
    """
    jvm = spark._jvm
    if name not in vars(jvm):
        setattr(jvm, name, getattr(jvm, name))
    return vars(jvm)[name]


def _execution(query: StreamingQuery) -> JavaObject:
    return query._jsq.streamingQuery().lastExecution()


def _nodes(spark: SparkSession, plan: JavaObject) -> Iterator[JavaObject]:
    """Return all nodes of a plan in one message; to walk it would take three or more for each."""
    itself = getattr(getattr(_class(spark, "scala.Predef$"), "MODULE$"), "$conforms")()
    nodes = plan.map(itself)
    return map(nodes.apply, range(nodes.size()))
