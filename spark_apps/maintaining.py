"""Maintenance of the lake, beside the queries that write to it.

What to do is decided by `headwater/maintenance`; here it is done, by Iceberg's own procedures. Rows stay as
they are: a rewrite is a commit that moves them to other files. It carries no batch, so a query finds its own
newest one behind it. A step that a live query keeps coming before is left for the next time.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from headwater import maintenance
from headwater.cold_log import holding
from headwater.maintenance import Outcome, planning, retiring, telling
from headwater.registry import alone, connect, releases
from headwater.topics.quantities import write_size
from spark_apps import internals, sinks
from spark_apps.session import CATALOG
from spark_apps.surveying import all_tables, look

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Row, SparkSession

    from headwater.maintenance import Policy, Step
    from headwater.settings import Settings

UNPROVED = ("building", "candidate")
ATTEMPTS = 3
# A file of the cold log says which offsets it holds, and is skipped by who needs none of them.
ORDER = {holding.TABLE: "partition, offset"}
# All small files of a closed day become one, and rows that are marked as gone really go.
REWRITING = {"min-input-files": "2", "delete-file-threshold": "1", "remove-dangling-deletes": "true"}


def maintain(spark: SparkSession, settings: Settings, policy: Policy, *, dry_run: bool) -> list[Outcome]:
    """Maintain all there is, and keep what was done; of a dry run, what would be."""
    began_at = datetime.now(UTC)
    with alone(settings, "maintenance"):
        gone = retiring.retire(settings, dry_run=dry_run)
        tables = sorted(set(all_tables(spark)) - _left_alone(settings))
        outcomes = [*gone, *maintain_tables(spark, settings, tables, policy, dry_run=dry_run)]
        telling.keep(settings, began_at, outcomes, dry_run=dry_run)
    return outcomes


def _left_alone(settings: Settings) -> set[str]:
    """Return the tables of versions that are still to be proved: their whole history is the witness."""
    with connect(settings) as registry:
        versions = releases.versions(registry)
    return {version["table_name"] for version in versions if version["status"] in UNPROVED}


def maintain_tables(
    spark: SparkSession, settings: Settings, names: Iterable[str], policy: Policy, *, dry_run: bool = False
) -> list[Outcome]:
    """Maintain tables, one after the other; what goes wrong with one keeps nobody from the others."""
    tables = [look(spark, name) for name in names]
    outcomes: list[Outcome] = []
    for table in tables:
        others = [settings.checkpoints, *(other.location for other in tables if other is not table)]
        for step in maintenance.plan(table, datetime.now(UTC), policy, others):
            outcomes += _outcomes(spark, table.location, step, dry_run=dry_run)
    return outcomes


def _outcomes(spark: SparkSession, location: str, step: Step, *, dry_run: bool) -> Iterator[Outcome]:
    """Do a step, unless it is a dry run; a sweep that would find nothing is no step at all."""
    why, done, failed = step.why, "", False
    before = internals.size_of(spark, location)
    try:
        if isinstance(step, planning.Sweep):
            if not (found := _strays(spark, step)):
                return
            why = f"{found:,} {why}"
        done = "" if dry_run else _tried(spark, step)
    except (Py4JJavaError, PySparkException) as error:
        failed = not _came_second(error)
        done = str(error).splitlines()[0] if failed else "left for the next time: its query keeps writing"
    freed = max(before - internals.size_of(spark, location), 0)
    yield Outcome(subject=step.subject, step=step.TITLE, why=why, done=done, failed=failed, freed=freed)


def _strays(spark: SparkSession, sweep: planning.Sweep) -> int:
    """Count what a sweep would remove, before it does."""
    return len(_call(spark, "remove_orphan_files", sweep, older_than=sweep.before, dry_run=True))


def _tried(spark: SparkSession, step: Step) -> str:
    """Do a step, and again if a live query has come before it."""
    for _attempt in range(1, ATTEMPTS):
        try:
            return _done(spark, step)
        except (Py4JJavaError, PySparkException) as error:
            if not _came_second(error):
                raise
    return _done(spark, step)


def _came_second(error: Exception) -> bool:
    """Say whether a live query has committed first, to the same files or just too often."""
    return any(reason in str(error) for reason in (sinks.CONFLICT, sinks.BUSY))


def _done(spark: SparkSession, step: Step) -> str:
    match step:
        case planning.Rewrite():
            options = F.create_map(*(F.lit(word) for option in REWRITING.items() for word in option))
            (found,) = _call(spark, "rewrite_data_files", step, options=options, **_which(step))
            return (
                f"{step.rows:,} rows ({write_size(found.rewritten_bytes_count)}): "
                f"{found.rewritten_data_files_count:,} files became {found.added_data_files_count:,}"
            )
        case planning.RewriteManifests():
            (found,) = _call(spark, "rewrite_manifests", step, use_caching=False)
            return f"{found.rewritten_manifests_count:,} became {found.added_manifests_count:,}"
        case planning.Expire():
            (found,) = _call(spark, "expire_snapshots", step, older_than=step.before)
            return f"{sum(found):,} files removed"
        case planning.Sweep():
            removed = _call(spark, "remove_orphan_files", step, older_than=step.before)
            return f"{len(removed):,} files removed"
    raise LookupError(f"nobody knows how to do {step}")


def _which(step: planning.Rewrite) -> dict[str, Any]:
    """Say which rows are rewritten, and in which order."""
    order = ORDER.get(step.subject)
    sorting = {"strategy": "sort", "sort_order": order} if order else {}
    closed = {"where": f"{step.time} < TIMESTAMP '{step.before} 00:00:00'"} if step.time else {}
    return sorting | closed


def _call(spark: SparkSession, procedure: str, step: Step, **arguments: Any) -> list[Row]:
    """Call one of Iceberg's procedures on the table of a step."""
    given = {"table": step.subject, **arguments}
    named = ", ".join(f"{name} => :{name}" for name in given)
    return spark.sql(f"CALL {CATALOG}.system.{procedure}({named})", args=given).collect()
