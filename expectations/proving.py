"""Making the proof of a candidate, and storing it with the version."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

from expectations.comparing import compare
from expectations.conserving import conserve
from expectations.running import run_suite
from expectations.snapshots import lineage, newest_rows
from headwater.replay.proof import Proof
from spark_apps import internals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from expectations.closing import Offsets, Topics
    from expectations.versions import Version
    from headwater.registry import Connection
    from headwater.settings import Settings


def prove(
    spark: SparkSession, settings: Settings, topics: Topics, live: Version | None, candidate: Version
) -> Proof:
    """Look at a candidate from all three sides. The ledger comes last: it covers what was compared."""
    at = datetime.now(UTC)
    checks = run_suite(settings, candidate, newest_rows(spark, candidate.table), at)
    difference = compare(spark, settings, topics, live, candidate) if live else None
    history = lineage(spark, candidate.table)
    began = began_at(spark, settings, candidate) if history else {}
    return Proof(
        view=candidate.view,
        candidate=candidate.label,
        made_at=at,
        checks=tuple(checks),
        difference=difference,
        conservation=conserve(history, began, candidate.starting_offsets, topics),
    )


def store(registry: Connection, candidate: Version, proof: Proof) -> None:
    """Keep a proof with its version; a newer one takes the place of an older one."""
    registry.execute(
        "UPDATE versions SET proof = %s WHERE query = %s",
        [Jsonb(proof.model_dump(mode="json")), candidate.name],
    )


def began_at(spark: SparkSession, settings: Settings, version: Version) -> Offsets:
    """Return where a version's query really began to read, from the note that Spark made in its checkpoint.

    The beginning of the log would be another one by now: it moves on as old records expire.
    """
    notes = f"{settings.checkpoints}/{version.checkpoint}/sources/*/0"
    lines = [row.value for row in spark.read.text(notes).collect()]
    began = internals.log_offsets(json.loads(line) for line in lines if line.startswith("{"))
    start = version.cut.start if version.cut else version.starting_offsets
    stitches = version.cut.stitches if version.cut else version.stitches
    planned = start or {}
    # Where the cold log came first, Kafka was read from the stitch on.
    cold = {topic for topic, stitch in stitches.items() if began.get(topic) == stitch}
    return began | {topic: planned[topic] for topic in cold}
