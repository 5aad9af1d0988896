"""Removing rows from the lake for good: from the present, from every snapshot before, and from the disk.

Only tables of what is kept as it came (the cold log, quarantined records, late events) can hold words in the
clear. One commit removes the rows. It carries the name of the table's newest batch, as the commit
of that batch does, so that a batch which runs again after a crash still finds itself in the history; then the
snapshots before are let go, and the files that only they refer to are deleted.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from pyiceberg.exceptions import CommitFailedException, NoSuchNamespaceError

from headwater import lake
from headwater.cold_log import holding
from headwater.cold_log.reading import LEDGER
from headwater.erasure.scanning import holds
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot

    from headwater.settings import Settings

COLD = "cold"
NAMESPACES = (COLD, "quarantine", "late")
TRIES = 5
OURS = "headwater."


def clean_tables(settings: Settings, needles: Sequence[bytes]) -> int:
    """Remove every row that holds a needle, and all that remembers it; return how many rows."""
    catalog = lake.catalog(settings)
    return sum(clean_table(catalog, name, needles) for name in _kept_apart(catalog))


def _kept_apart(catalog: Catalog) -> Iterator[str]:
    for namespace in NAMESPACES:
        try:
            yield from (".".join(name) for name in catalog.list_tables(namespace))
        except NoSuchNamespaceError:
            continue


def clean_table(catalog: Catalog, name: str, needles: Sequence[bytes]) -> int:
    """Remove the rows of one table; its past goes with them, if that holds any."""
    removed = _remove_rows(catalog, name, needles)
    table = catalog.load_table(name)
    if any(holds(_path(file), needles) for file in _only_in_the_past(table)):
        _forget_the_past(table)
    return removed


def _remove_rows(catalog: Catalog, name: str, needles: Sequence[bytes]) -> int:
    """Remove rows in one commit; another writer's commit in between means looking again."""
    for _ in range(TRIES):
        table = catalog.load_table(name)
        batches = table.scan().to_arrow_batch_reader()
        found = [row for batch in batches for row in batch.to_pylist() if _row_holds(row, needles)]
        if not found:
            return 0
        said = _newest_batch(table)
        if name.startswith(f"{COLD}."):
            said[LEDGER] = holding.without(said[LEDGER], [(row["topic"], row["partition"]) for row in found])
        try:
            table.delete(" OR ".join(map(_place, found)), snapshot_properties=said)
        except CommitFailedException:
            continue
        return len(found)
    raise Refusal(
        f'rows of table "{name}" could not be removed', detail="Others keep writing to it.", hint="Try again."
    )


def _place(row: dict[str, Any]) -> str:
    """Return the place in the log that a row came from, as a filter."""
    place = f"partition = {row['partition']} AND offset = {row['offset']}"
    return f"(topic = '{row['topic']}' AND {place})" if "topic" in row else f"({place})"


def _row_holds(row: dict[str, Any], needles: Sequence[bytes]) -> bool:
    texts = (value.encode() if isinstance(value, str) else value for value in row.values())
    return any(needle in text for text in texts if isinstance(text, bytes) for needle in needles)


def _newest_batch(table: Table) -> dict[str, str]:
    """Return what the newest snapshot of a batch says of itself: which it is, and how far it has read."""
    known = {snapshot.snapshot_id: snapshot for snapshot in table.snapshots()}
    snapshot = table.current_snapshot()
    while snapshot is not None:
        summary = snapshot.summary.additional_properties if snapshot.summary else {}
        if ours := {key: value for key, value in summary.items() if key.startswith(OURS)}:
            return ours
        snapshot = known.get(snapshot.parent_snapshot_id or 0)
    return {}


def _forget_the_past(table: Table) -> None:
    """Let go of all snapshots but the present one, then of the files that are no longer needed."""
    current = table.current_snapshot()
    stale = _only_in_the_past(table)
    past = [snapshot.snapshot_id for snapshot in table.snapshots() if snapshot != current]
    table.maintenance.expire_snapshots().by_ids(past).commit()
    for file in stale:
        table.io.delete(file)


def _only_in_the_past(table: Table) -> list[str]:
    """Return the files that only snapshots before the present one refer to."""
    current = table.current_snapshot()
    needed = set(_files_of(table, current)) if current else set()
    past = (snapshot for snapshot in table.snapshots() if snapshot != current)
    return sorted({file for snapshot in past for file in _files_of(table, snapshot)} - needed)


def _files_of(table: Table, snapshot: Snapshot) -> Iterator[str]:
    yield snapshot.manifest_list
    for manifest in snapshot.manifests(table.io):
        yield manifest.manifest_path
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            yield entry.data_file.file_path


def _path(file: str) -> Path:
    return Path(unquote(urlparse(file).path))
