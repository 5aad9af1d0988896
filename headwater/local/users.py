"""The user that PostgreSQL runs as: it refuses root. Standard library only."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass

from headwater.errors import Refusal

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the machine."""

    name: str
    uid: int
    gid: int


def unprivileged_user() -> User | None:
    """Return the user for programs that refuse root, or None when we are not root ourselves."""
    if os.geteuid() != 0:
        return None
    entries = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in CANDIDATES:
        if entry := entries.get(name):
            return User(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise Refusal(
        "PostgreSQL has no user to run as",
        detail=f"It refuses to run as root, and there is no user {' or '.join(CANDIDATES)}.",
        hint="Create one with `useradd --system postgres`, or run as an ordinary user.",
    )
