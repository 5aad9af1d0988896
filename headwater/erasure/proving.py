"""The proof: every file of the instance is looked through, until the person's words are in none.

Some take a while to go: Kafka's cleaner and PostgreSQL's log let go in their own time, which is hurried where
it can be. What is still found when patience ends is named, and the erasure stays open: ask again later.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from headwater.erasure.record import of_person, still_sought
from headwater.erasure.scanning import Scan, scan
from headwater.erasure.tombstones import write_tombstones
from headwater.errors import Refusal
from headwater.local.record import started_parts
from headwater.people import keyring
from headwater.registry import connect

if TYPE_CHECKING:
    from headwater.registry import Connection
    from headwater.settings import Settings

PATIENCE_SECONDS = 600.0  # Kafka's cleaner comes when it comes, and on a busy machine in several rounds
PAUSE_SECONDS = 5.0
# An updated row leaves its old self in the table's file until the table is written anew.
REWRITTEN = ("people", "erasures", "versions", "batch_days")
SHOWN = 10


def prove(settings: Settings, person: str, patience: float = PATIENCE_SECONDS) -> Scan:
    """Scan until nothing is found; keep the proof, and let go of what was looked for."""
    deadline = time.monotonic() + patience
    with keyring(settings) as keys:
        found = still_sought(keys, person)
        if found is None:
            return _proof_of(keys.registry, person)
        _rewrite_tables(keys.registry)
        _refuse_where_files_are_elsewhere(settings, person)
        while True:
            # A segment of a topic is closed, and then cleaned, only by what is written after it.
            write_tombstones(settings, person)
            _let_go_of_old_log(keys.registry)
            proof = scan(Path(settings.home), found.needles())
            if proof.clean or time.monotonic() > deadline:
                break
            time.sleep(PAUSE_SECONDS)
            _rewrite_tables(keys.registry)  # again: whoever still looks at an old row keeps it there
        _keep(keys.registry, person, proof)
        if not proof.clean:
            raise _refusal(person, proof)
        _rewrite_tables(keys.registry)
        _let_go_of_old_log(keys.registry)
    return proof


def status(settings: Settings, person: str) -> dict[str, Any] | None:
    """Return what is known of the erasure of a person; None if there was none."""
    with connect(settings) as registry:
        return of_person(registry, person)


def _refuse_where_files_are_elsewhere(settings: Settings, person: str) -> None:
    """Refuse a proof that would look past Kafka's and PostgreSQL's own files."""
    if missing := {"kafka", "postgres"} - {part.name for part in started_parts(Path(settings.home))}:
        raise Refusal(
            f'the erasure of "{person}" cannot be proved from here',
            detail=f"The files of {' and '.join(sorted(missing))} are not on this machine.",
            hint="The key is destroyed, rows and reports are gone; see docs/erasure.md for what remains.",
        )


def _proof_of(registry: Connection, person: str) -> Scan:
    row = of_person(registry, person)
    if row is None:
        raise Refusal(f'the erasure of "{person}" has not begun', hint="Run `headwater erase`.")
    return Scan(**{**row["proof"], "found": tuple(row["proof"]["found"])})


def _keep(registry: Connection, person: str, proof: Scan) -> None:
    holds = ", sought = NULL, proved_at = now()" if proof.clean else ""
    statement = f"UPDATE erasures SET proof = %s{holds} WHERE person = %s"
    registry.execute(statement.encode(), [Jsonb(proof.to_json()), person])


def _rewrite_tables(registry: Connection) -> None:
    for table in REWRITTEN:
        registry.execute(f"VACUUM FULL {table}".encode())


def _let_go_of_old_log(registry: Connection) -> None:
    """Let PostgreSQL remove the write-ahead log of up to now, as far as no replication slot needs it."""
    registry.execute("SELECT pg_switch_wal()")
    registry.execute("CHECKPOINT")


def _refusal(person: str, proof: Scan) -> Refusal:
    more = f" and {len(proof.found) - SHOWN} more" if len(proof.found) > SHOWN else ""
    return Refusal(
        f'what "{person}" has left is not gone everywhere yet',
        detail=f"{proof}: {', '.join(proof.found[:SHOWN])}{more}.",
        hint="The key is destroyed. Erase again later: docs/erasure.md tells what goes when.",
    )
