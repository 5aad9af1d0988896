"""Erasures as the registry knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.erasure.sought import Sought

if TYPE_CHECKING:
    from headwater.people import Keyring
    from headwater.registry import Connection


def of_person(registry: Connection, person: str) -> dict[str, Any] | None:
    """Return the erasure of a person, if it was ever begun."""
    return registry.execute("SELECT * FROM erasures WHERE person = %s", [person]).fetchone()


def still_sought(keys: Keyring, person: str) -> Sought | None:
    """Return what the proof of an erasure has still to look for; None when it holds."""
    row = of_person(keys.registry, person)
    if row is None or row["sought"] is None:
        return None
    return Sought.unwrap(keys.wrapping, person, bytes(row["sought"]))
