"""A rebuild from its beginning to its end: build a candidate, watch it catch up, then promote or reject it.

Every step may be asked for again: it goes on where the last attempt came to. The registry is the only memory,
so Airflow, or whoever asked, may die and come back at any point.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from headwater import glue, observing, supervision
from headwater.errors import Refusal
from headwater.registry import apps, connect, heartbeats, releases, replays
from headwater.registry.replays import refuse_if_ended
from headwater.registry.wanted import changing
from headwater.replay.moving import move
from headwater.replay.planning import artifact_of, plan_with
from headwater.replay.progress import Progress
from headwater.replay.proof import Proof

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.registry import Connection
    from headwater.replay.request import ReplayRequest
    from headwater.settings import Settings

# A live query is never quite at the end of the log: new records come while it reads the last ones.
FEW = 5_000
RECENT = timedelta(minutes=2)


def enter(settings: Settings, request: ReplayRequest, key: str) -> dict[str, Any]:
    """Enter the candidate and its replay."""
    with connect(settings) as registry:
        artifact = artifact_of(settings, registry, request)
        planned = plan_with(settings, registry, request, artifact)
        planned.refuse()
        with changing(registry):
            version = releases.add_version(
                registry,
                artifact,
                request.view,
                starting_offsets=planned.starting_offsets,
                stitches=planned.stitches,
                seam_at=planned.seam_at,
                form=planned.form.name,
            )
            return replays.enter(
                registry,
                key=key,
                view=request.view,
                query=version["query"],
                request=request.model_dump(),
                plan=planned.to_json(),
            )


def go_on(settings: Settings, replay: Mapping[str, Any]) -> None:
    """Make the app of the candidate run."""
    supervision.bring_about(settings, [replay["query"]])


def prove_job(replay: Mapping[str, Any]) -> list[str]:
    """Return the job that proves the candidate."""
    return ["prove", replay["view"], replay["query"].rpartition(".")[2]]


def commit_job(_replay: Mapping[str, Any]) -> list[str]:
    """Return the job that writes rows after the approval: none, they are all there."""
    return []


def progress(settings: Settings, key: str) -> Progress:
    """Say how far a candidate has come; the first time that it is there, remember how fast it was."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
        _refuse_if_broken(registry, replay)
        beat = heartbeats.of_query(registry, replay["query"])
        ends = observing.ends_of(settings, replay["plan"]["stretches"])
        found = _progress(replay, beat, ends)
        if found.caught_up:
            replays.caught_up(registry, key, replay["plan"]["events"])
            if releases.version(registry, replay["query"])["status"] == "building":
                releases.set_status(registry, replay["query"], "candidate")
    return found


def _progress(replay: dict[str, Any], beat: dict[str, Any] | None, ends: observing.Ends) -> Progress:
    events = replay["plan"]["events"]
    lag = observing.lag_of(beat["offsets"], ends) if beat else None
    share = (beat["share"] or 0.0) if beat else 0.0
    left = lag if lag is not None else int(events * (1 - share))
    seconds = beat["running_for"].total_seconds() if beat else 0.0
    done = events - left
    return Progress(
        query=replay["query"],
        phase=beat["phase"] if beat else "starting",
        events_left=left,
        events_per_second=done / seconds if seconds > 0 and done > 0 else None,
        caught_up=beat is not None and beat["phase"] == "live" and _is_close(left, beat),
    )


def _is_close(left: int, beat: dict[str, Any]) -> bool:
    """Say whether a live query has few records to read, or has read those of a moment ago."""
    newest = beat["received_up_to"]
    return left <= FEW or (newest is not None and datetime.now(UTC) - newest < RECENT)


def _refuse_if_broken(registry: Connection, replay: dict[str, Any]) -> None:
    broken = registry.execute(
        "SELECT broken_at FROM apps WHERE name = %s AND broken_at IS NOT NULL", [replay["query"]]
    ).fetchone()
    if replay["state"] != "open" or broken:
        raise Refusal(
            f"candidate {replay['query']} will not catch up",
            detail=replay["because"] or "Its driver failed again and again, and supervision has given it up.",
            hint=f"See `make logs PART={replay['query']}`; then give it up, if it is not yet: "
            f"`headwater replay reject {replay['view']}`.",
        )


def proof_of(registry: Connection, replay: Mapping[str, Any]) -> Proof | None:
    """Return the proof of the candidate, once it has been made."""
    proof = releases.version(registry, replay["query"])["proof"]
    return Proof.model_validate(proof) if proof else None


def promote(settings: Settings, key: str, approved_by: str) -> str:
    """Make the candidate live; refuses one whose proof is missing or does not hold."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
        if replay["state"] == "promoted":
            return f"{replay['query']} was promoted before"
        refuse_if_ended(replay)
        _refuse_without_proof(replay, proof_of(registry, replay))
        with registry.transaction():
            move(settings, registry, replay["query"], "promote", approved_by)
            replays.close(registry, key, "promoted", f"by {approved_by}")
            apps.throttle(registry, replay["query"], None)  # it is one of the live ones now
    glue.look_after(settings)
    return f"view {replay['view']} serves {replay['query'].rpartition('.')[2]} now; the old one stays warm"


def _refuse_without_proof(replay: dict[str, Any], proof: Proof | None) -> None:
    if proof is None:
        raise Refusal(
            f"{replay['query']} has no proof yet",
            hint=f"Make it: `headwater replay prove {replay['view']}`.",
        )
    if not proof.holds:
        raise Refusal(
            f"{replay['query']} could not be promoted",
            detail=" ".join(proof.problems),
            hint="Read the proof, fix the view and replay it again; or reject this candidate.",
        )


def reject(settings: Settings, key: str, because: str) -> str:
    """End a replay without promoting it: its app stops, its proof stays. Nothing if it has ended already."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
        if replay["state"] != "open":
            return f"{replay['query']} was {replay['state']} before"
        with changing(registry):
            releases.set_status(registry, replay["query"], "retired")
            replays.close(registry, key, "rejected", because)
    supervision.bring_about(settings, [replay["query"]])
    return f"{replay['query']} is rejected: {because}"
