"""Replay: a plan, a candidate, a proof and a pointer that moves; the old version stays warm."""

from headwater.replay.lifecycle import Progress, Replay, begin, progress, promote, proof_of, reject, status
from headwater.replay.moving import release, rollback
from headwater.replay.planning import Plan, plan
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
    "rollback",
    "status",
    "throttle",
]
