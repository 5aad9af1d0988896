"""A backfill from its beginning to its end: prove what would change, then put it in place, or leave it.

Nothing runs between the steps and nothing has to be stopped: until its one commit a backfill is a row in the
registry. Rows are computed twice, for the proof and for the commit: the same function of the same records. If
the live query has corrected some of them meanwhile, the outcome says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.errors import Refusal
from headwater.registry import connect, releases, replays
from headwater.registry.replays import refuse_if_ended
from headwater.replay.backfill_plan import plan_with
from headwater.replay.backfill_proof import BackfillProof, Outcome
from headwater.replay.planning import artifact_of
from headwater.replay.progress import NothingToCatchUp
from headwater.replay.request import BACKFILL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.registry import Connection
    from headwater.replay.progress import Progress
    from headwater.replay.request import ReplayRequest
    from headwater.settings import Settings


def enter(settings: Settings, request: ReplayRequest, key: str) -> dict[str, Any]:
    """Enter the backfill; the version whose rows it replaces is the one that is live now."""
    with connect(settings) as registry:
        planned = plan_with(settings, registry, request, artifact_of(settings, registry, request))
        planned.refuse()
        return replays.enter(
            registry,
            key=key,
            kind=BACKFILL,
            view=request.view,
            query=releases.live_version(registry, request.view)["query"],
            request=request.model_dump(),
            plan=planned.to_json(),
        )


def go_on(_settings: Settings, _replay: Mapping[str, Any]) -> None:
    """Start nothing: the next step is a job."""


def prove_job(replay: Mapping[str, Any]) -> list[str]:
    """Return the job that computes the rows and proves them."""
    return ["prove-backfill", replay["key"]]


def commit_job(replay: Mapping[str, Any]) -> list[str]:
    """Return the job that puts the rows in place, once they are approved."""
    return ["backfill", replay["key"]]


def progress(settings: Settings, key: str) -> Progress:
    """Say that there is nothing to wait for."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
    refuse_if_ended(replay)
    return NothingToCatchUp(query=replay["query"])


def proof_of(_registry: Connection, replay: Mapping[str, Any]) -> BackfillProof | None:
    """Return the proof of a backfill, once it has been made."""
    return _proof(replay)


def refuse_unless_ready(registry: Connection, replay: Mapping[str, Any]) -> BackfillProof:
    """Return the proof by which rows may be put in place now, or refuse."""
    refuse_if_ended(replay)
    proof = _proof(replay)
    if proof is None:
        raise Refusal(
            f"the backfill of {replay['query']} has no proof yet",
            hint=f"Make it: `headwater replay prove {replay['view']}`.",
        )
    if not proof.holds:
        raise Refusal(
            f"the backfill of {replay['query']} could not go on",
            detail=" ".join(proof.problems),
            hint="Read the proof; then reject this backfill.",
        )
    live = releases.live_version(registry, replay["view"])["query"]
    if live != replay["query"]:
        raise Refusal(
            f"{replay['query']} is no longer what readers see",
            detail=f"They see {live} now.",
            hint="Reject this backfill, and ask for another.",
        )
    return proof


def promote(settings: Settings, key: str, approved_by: str) -> str:
    """Close a backfill whose rows are in place, with the name of who approved."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
        if replay["state"] != "promoted":
            refuse_if_ended(replay)
            if replay["outcome"] is None:
                raise Refusal(
                    f"the rows of the backfill of {replay['query']} are not in place yet",
                    hint="Its job `backfill` puts them there: clear task commit in Airflow, or run "
                    f"`headwater replay promote {replay['view']}`.",
                )
            replays.close(registry, key, "promoted", f"by {approved_by}")
    return _outcome(replay)


def reject(settings: Settings, key: str, because: str) -> str:
    """End a backfill without touching a row; one whose rows are in place is closed as what it is."""
    with connect(settings) as registry:
        replay = replays.known(registry, key)
        if replay["state"] != "open":
            return f"the backfill of {replay['query']} was {replay['state']} before"
        if replay["outcome"] is not None:
            replays.close(registry, key, "promoted", f"its rows were in place before: {because}")
            return _outcome(replay)
        replays.close(registry, key, "rejected", because)
    return f"the backfill of {replay['query']} is rejected: {because}"


def _proof(replay: Mapping[str, Any]) -> BackfillProof | None:
    return BackfillProof.model_validate(replay["proof"]) if replay["proof"] else None


def _outcome(replay: Mapping[str, Any]) -> str:
    proof, outcome = _proof(replay), Outcome.model_validate(replay["outcome"])
    return outcome.in_words(proof) if proof else f"{outcome.rows:,} rows are in place"
