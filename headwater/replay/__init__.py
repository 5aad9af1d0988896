"""Replay: a plan, a candidate, a proof and a pointer that moves; the old version stays warm.

Or a backfill: a plan, a proof, and one commit that puts the rows of a stretch of time in place.
"""

from headwater.replay.lifecycle import (
    Replay,
    begin,
    plan,
    progress,
    promote,
    proof_of,
    reject,
    replay_in,
    status,
)
from headwater.replay.moving import release, rollback
from headwater.replay.planning import Plan
from headwater.replay.progress import Progress
from headwater.replay.request import ReplayRequest
from headwater.replay.throttling import throttle

__all__ = [
    "Plan",
    "Progress",
    "Replay",
    "ReplayRequest",
    "begin",
    "plan",
    "progress",
    "promote",
    "proof_of",
    "reject",
    "release",
    "replay_in",
    "rollback",
    "status",
    "throttle",
]
