"""A replay from its beginning to its end, of either kind: each step is asked for by the key of the replay.

Every step may be asked for again: it goes on where the last attempt came to. The registry is the only memory,
so Airflow, or whoever asked, may die and come back at any point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.registry import connect, replays
from headwater.registry.replays import refuse_if_ended
from headwater.replay import backfill_plan, backfilling, planning, rebuilding
from headwater.replay.request import BACKFILL, REBUILD

if TYPE_CHECKING:
    from datetime import datetime
    from types import ModuleType

    from headwater.replay.backfill_plan import BackfillPlan
    from headwater.replay.backfill_proof import BackfillProof
    from headwater.replay.planning import Plan
    from headwater.replay.progress import Progress
    from headwater.replay.proof import Proof
    from headwater.replay.request import ReplayRequest
    from headwater.settings import Settings

WAYS = {REBUILD: rebuilding, BACKFILL: backfilling}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A replay that has begun."""

    key: str
    kind: str
    view: str
    query: str  # the version that is built, or whose rows are replaced
    state: str
    opened_at: datetime
    prove_job: list[str]  # the Spark job that proves it
    commit_job: list[str]  # the one that writes rows after the approval; of a rebuild they are there already


def plan(settings: Settings, request: ReplayRequest) -> Plan | BackfillPlan:
    """Look at registry, log and cluster, and say what a replay would do. Changes nothing."""
    with connect(settings) as registry:
        artifact = planning.artifact_of(settings, registry, request)
        if request.kind == BACKFILL:
            return backfill_plan.plan_with(settings, registry, request, artifact)
        return planning.plan_with(settings, registry, request, artifact)


def begin(settings: Settings, request: ReplayRequest, key: str) -> Replay:
    """Enter a replay and start what it needs. The same key again finds the same replay."""
    with connect(settings) as registry:
        known = replays.find(registry, key)
    way = WAYS[known["kind"] if known else request.kind]
    if known is None:
        known = way.enter(settings, request, key)
    refuse_if_ended(known)
    way.go_on(settings, known)
    return replay_in(known)


def progress(settings: Settings, key: str) -> Progress:
    """Say how far a replay has come."""
    found: Progress = _way(settings, key).progress(settings, key)
    return found


def proof_of(settings: Settings, key: str) -> Proof | BackfillProof | None:
    """Return the proof of a replay, once it has been made."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
        proof: Proof | BackfillProof | None = WAYS[replay["kind"]].proof_of(registry, replay)
    return proof


def promote(settings: Settings, key: str, approved_by: str) -> str:
    """Let readers see what a replay has made; refuses without a proof that holds."""
    return str(_way(settings, key).promote(settings, key, approved_by))


def reject(settings: Settings, key: str, because: str) -> str:
    """End a replay; readers see what they saw. Nothing if it has ended already."""
    return str(_way(settings, key).reject(settings, key, because))


def status(settings: Settings, view: str | None = None) -> list[dict[str, Any]]:
    """Return the replays there were, newest first."""
    with connect(settings) as registry:
        return replays.all_replays(registry, view)


def replay_in(row: dict[str, Any]) -> Replay:
    """Return a replay that the registry knows."""
    way = WAYS[row["kind"]]
    named = {name: row[name] for name in ("key", "kind", "view", "query", "state", "opened_at")}
    return Replay(**named, prove_job=way.prove_job(row), commit_job=way.commit_job(row))


def _way(settings: Settings, key: str) -> ModuleType:
    with connect(settings) as registry:
        return WAYS[replays.known(registry, key)["kind"]]
