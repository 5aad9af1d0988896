"""A backfill on Spark: its proof, and after the approval its commit, both asked for by the replay's key."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from expectations import versions
from expectations.running import run_suite
from headwater.errors import Refusal
from headwater.registry import releases, replays
from headwater.replay.backfill_proof import BackfillProof, Outcome
from headwater.replay.backfilling import refuse_unless_ready
from headwater.replay.between import Between
from headwater.replay.proof import Difference
from spark_apps import catalog, histories, matching
from spark_apps.backfill import Asked, backfill, recompute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from expectations.closing import Topics
    from expectations.versions import Version
    from headwater.registry import Connection
    from headwater.settings import Settings
    from spark_apps.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """A backfill as its jobs see it: what was asked for, and the version that it is for."""

    replay: Mapping[str, Any]
    view: View
    version: Version

    @classmethod
    def find(cls, registry: Connection, key: str) -> Self:
        """Look a backfill up, or refuse; so is one for which this is the wrong code."""
        replay = replays.known(registry, key)
        row = releases.version(registry, replay["query"])
        view = replace(catalog.view(replay["view"]), version=row["version"], build=row["build"])
        if catalog.fingerprint(view) != row["fingerprint"]:
            raise Refusal(
                f"the code as it is now has other logic than {replay['query']}",
                hint="A backfill runs the logic of the live version; changed logic is a rebuild.",
            )
        return cls(replay=replay, view=view, version=versions.find(registry, row["view"], row["label"]))

    @property
    def asked(self) -> Asked:
        """What was asked for, as it was planned."""
        planned, minutes = self.replay["plan"], self.replay["request"]["lateness"]
        first, after = (datetime.fromisoformat(planned[edge]) for edge in ("first", "after"))
        return Asked(
            between=Between(first=first, after=after),
            lateness=None if minutes is None else timedelta(minutes=minutes),
            replay=self.replay["key"],
        )


def prove(
    spark: SparkSession, settings: Settings, registry: Connection, topics: Topics, key: str
) -> BackfillProof:
    """Compute the rows, compare them with those that are there, check them, and keep the proof."""
    found = Backfill.find(registry, key)
    began = time.monotonic()
    proof = make_proof(spark, settings, topics, found)
    events = found.replay["plan"]["events"]
    replays.proved(
        registry, key, proof.model_dump(mode="json"), events, events / max(time.monotonic() - began, 1.0)
    )
    return proof


def make_proof(spark: SparkSession, settings: Settings, topics: Topics, found: Backfill) -> BackfillProof:
    """Look at what would change, and run the view's suite over the new rows."""
    at, asked, view = datetime.now(UTC), found.asked, found.view
    starts = asked.between.starts_of(view.window)
    computed = recompute(spark, settings, view, topics, asked)
    difference = Difference(
        live=found.version.label,
        live_snapshot=computed.seen.snapshot,
        closed_from=starts.first,
        closed_until=starts.after,
        samples=matching.samples(computed.matched, view.keys),
        **matching.counts(computed.matched),
    )
    return BackfillProof(
        view=view.name,
        version=found.version.label,
        first=starts.first,
        after=starts.after,
        made_at=at,
        lateness=computed.lateness,
        late_events=computed.late_events,
        otherwise=computed.otherwise,
        difference=difference,
        faults=computed.faults,
        checks=tuple(run_suite(settings, found.version, computed.rows, at)),
    )


def commit(
    spark: SparkSession, settings: Settings, registry: Connection, topics: Topics, key: str
) -> tuple[BackfillProof, Outcome]:
    """Put the rows in place, once: a job that is run again finds its own commit."""
    found = Backfill.find(registry, key)
    proof = refuse_unless_ready(registry, found.replay)
    told = histories.told_of_backfill(spark, found.view.table, key, found.replay["opened_at"])
    if told is None:
        outcome = backfill(spark, settings, found.view, topics, found.asked)
    else:
        outcome = Outcome.model_validate_json(told)
    replays.committed(registry, key, outcome.model_dump(mode="json"))
    return proof, outcome
