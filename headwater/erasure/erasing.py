"""The steps of an erasure, from the destroyed key to what was never sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from headwater.erasure import reports, sought, tables
from headwater.erasure.proving import prove
from headwater.erasure.record import of_person, still_sought
from headwater.erasure.tombstones import write_tombstones
from headwater.errors import Refusal
from headwater.people import keyring
from headwater.registry import connect
from headwater.shop import database

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.erasure.scanning import Scan
    from headwater.forms import Erasure
    from headwater.settings import Settings

# Which rows of the shop go with a person. Orders stay: they are the shop's books, and name nobody.
ROWS = {
    "users": "DELETE FROM users WHERE user_id = %(person)s",
    "posts": "DELETE FROM posts WHERE user_id = %(person)s",
    "follows": "DELETE FROM follows WHERE %(person)s IN (follower_id, followed_id)",
    "search_queries": "DELETE FROM search_queries WHERE user_id = %(person)s",
}


def erase(settings: Settings, request: Erasure, by: str, report: Callable[[str], object]) -> Scan:
    """Erase a person, step by step; return the scan that proves it."""
    report(begin(settings, request, by))
    report(forget(settings, request.person))
    report(clean(settings, request.person))
    return prove(settings, request.person)


def begin(settings: Settings, request: Erasure, by: str) -> str:
    """Write down what to look for, and destroy the key, in one transaction."""
    person = request.person
    with keyring(settings) as keys:
        if of_person(keys.registry, person):
            return f"the erasure of {person} has begun before; it goes on"
        found = sought.gather(settings, keys, person)
        if found.key is None and not found.texts:
            raise Refusal(
                f'nobody is known as "{person}"',
                detail="There is no key of theirs, and neither the shop's tables nor the log tell of them.",
                hint="See whether the id is right: `headwater people show ID`.",
            )
        if any(text in request.reason for text in found.long_enough):
            raise Refusal(
                "the reason holds what is to be erased", hint="It is kept for the record: name nobody in it."
            )
        with keys.registry.transaction():
            keys.registry.execute(
                "INSERT INTO erasures (person, reason, asked_by, sought) VALUES (%s, %s, %s, %s)",
                [person, request.reason, by, found.wrap(keys.wrapping, person)],
            )
            keys.destroy(person)
    return f"the key of {person} is destroyed"


def forget(settings: Settings, person: str) -> str:
    """Delete the person's rows in the shop's database, and let changelogs forget them."""
    with database.connect(settings) as shop, shop.transaction():
        deleted = {
            table: shop.execute(rule.encode(), {"person": person}).rowcount for table, rule in ROWS.items()
        }
    tombstones = ", ".join(write_tombstones(settings, person))
    _note(settings, person, "deleted", deleted)
    rows = ", ".join(f"{count:,} of {table}" for table, count in deleted.items())
    return f"rows deleted: {rows}; tombstones written to {tombstones}"


def clean(settings: Settings, person: str) -> str:
    """Remove what was never sealed, from the lake and from reports."""
    with keyring(settings) as keys:
        found = still_sought(keys, person)
        if found is None:
            return "nothing is sought any more: the proof holds"
        needles = found.needles()
        removed = {
            "rows": tables.clean_tables(settings, needles),
            "pages": reports.remove_pages(settings, needles),
            "samples": reports.redact_samples(keys.registry, found.long_enough),
        }
    _note(settings, person, "removed", removed)
    return "removed: " + ", ".join(f"{count:,} {what}" for what, count in removed.items())


def _note(settings: Settings, person: str, step: str, counts: dict[str, int]) -> None:
    """Add what a step has done to what its earlier attempts have."""
    with connect(settings) as registry, registry.transaction():
        row = registry.execute("SELECT done FROM erasures WHERE person = %s FOR UPDATE", [person]).fetchone()
        before: dict[str, Any] = (row["done"] if row else {}).get(step, {})
        total = {what: before.get(what, 0) + count for what, count in counts.items()}
        registry.execute(
            "UPDATE erasures SET done = done || %s WHERE person = %s", [Jsonb({step: total}), person]
        )
