"""What Spark reports of a query that looks at its input: of a batch, and of a look in vain.

Supervision takes a query for stuck that has something to read and comes to no end of a look. So a look in
vain must be told from a batch, and both from each other.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spark_apps.stream import ran_a_batch
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_look_in_vain_is_reported_again_and_again_under_the_number_of_the_next_batch(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "input").mkdir()
    spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", 200)
    lines = spark.readStream.text(str(tmp_path / "input"))
    writer = lines.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(processingTime="0.1 seconds").foreachBatch(lambda rows, _: rows.count()).start()

    def newest() -> dict[str, Any]:
        return json.loads(query.lastProgress.json) if query.lastProgress else {}

    try:
        wait_for("a look in vain", newest)
        first = newest()
        assert not ran_a_batch(first)
        wait_for("another", lambda: newest()["timestamp"] != first["timestamp"])
        (tmp_path / "input/one").write_text("a line")
        wait_for("a batch", lambda: any(map(ran_a_batch, reports(query))))
        batch = next(filter(ran_a_batch, reports(query)))
        assert batch["numInputRows"] == 1
        assert batch["batchId"] == first["batchId"]
        assert batch["timestamp"] != first["timestamp"]
        wait_for("a look in vain afterwards", lambda: not ran_a_batch(newest()))
    finally:
        query.stop()
        spark.conf.unset("spark.sql.streaming.noDataProgressEventInterval")


def reports(query: Any) -> list[dict[str, Any]]:
    return [json.loads(report.json) for report in query.recentProgress]
