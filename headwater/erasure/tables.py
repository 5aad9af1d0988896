"""Removing words from the lake for good: from the present, from every snapshot before, and from the disk.

Only tables of what is kept as it came (quarantined records, late events, the cold log) can hold words in the
clear. One commit removes them: a record loses its value and keeps its place in the log, so that counts
still hold; a late event goes as a whole. The commit carries the name of the table's newest batch, as the
commit of that batch does, so that a batch which runs again after a crash still finds itself in the history;
then the snapshots before are let go, and the files that only they refer to are deleted.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.exceptions import CommitFailedException, NoSuchNamespaceError

from headwater import lake
from headwater.erasure.scanning import holds
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot

    from headwater.settings import Settings

NAMESPACES = ("quarantine", "late", "cold")
PLACE = ("topic", "partition", "offset")  # what tells rows of these tables apart
VALUE = "value"
TRIES = 5
OURS = "headwater."


def clean_tables(settings: Settings, needles: Sequence[bytes]) -> int:
    """Remove needles from every row that holds one, and all that remembers them; return how many rows."""
    catalog = lake.catalog(settings)
    return sum(clean_table(catalog, name, needles) for name in _kept_apart(catalog))


def _kept_apart(catalog: Catalog) -> Iterator[str]:
    for namespace in NAMESPACES:
        try:
            yield from (".".join(name) for name in catalog.list_tables(namespace))
        except NoSuchNamespaceError:
            continue


def clean_table(catalog: Catalog, name: str, needles: Sequence[bytes]) -> int:
    """Remove needles from the rows of one table; its past goes with them, if that holds any."""
    removed = _remove_words(catalog, name, needles)
    table = catalog.load_table(name)
    if any(_holds(table, file, needles) for file in _files_of(table, table.current_snapshot())):
        _commit_nothing(table)
    if any(_holds(table, file, needles) for file in _only_in_the_past(table)):
        _forget_the_past(table)
    return removed


def _remove_words(catalog: Catalog, name: str, needles: Sequence[bytes]) -> int:
    """Remove words in one commit; another writer's commit in between means looking again."""
    for _ in range(TRIES):
        table = catalog.load_table(name)
        places = _places(table, needles)
        if not places:
            return 0
        try:
            _empty(table, " OR ".join(places))
        except CommitFailedException:
            continue
        return len(places)
    raise Refusal(
        f'words in table "{name}" could not be removed',
        detail="Others keep writing to it.",
        hint="Try again.",
    )


def _places(table: Table, needles: Sequence[bytes]) -> list[str]:
    """Return which rows hold a needle, as conditions; most files hold none, and are not read row by row."""
    files = [task.file.file_path for task in table.scan().plan_files()]
    found = (_rows(table, file) for file in files if _holds(table, file, needles))
    names = [column for column in PLACE if column in table.schema().column_names]
    return [
        "(" + " AND ".join(f"{column} = {row[column]!r}" for column in names) + ")"
        for rows in found
        for row in rows.to_pylist()
        if _row_holds(row, needles)
    ]


def _empty(table: Table, these: str) -> None:
    """Take the values of records, and events as a whole."""
    batch = _newest_batch(table)
    if VALUE not in table.schema().column_names:
        table.delete(these, snapshot_properties=batch)
        return
    rows = table.scan(row_filter=these).to_arrow()
    nothing = pa.nulls(len(rows), rows.schema.field(VALUE).type)
    emptied = rows.set_column(rows.schema.get_field_index(VALUE), VALUE, nothing)
    table.overwrite(emptied, overwrite_filter=these, snapshot_properties=batch)


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


def _commit_nothing(table: Table) -> None:
    """Commit no rows: a commit that removes files lists them, with bounds of their values; the next not."""
    batch = _newest_batch(table)
    with (
        suppress(CommitFailedException),  # then somebody else has committed, which does as well
        table.transaction() as change,
        change.update_snapshot(snapshot_properties=batch).fast_append(),
    ):
        pass
    table.refresh()


def _forget_the_past(table: Table) -> None:
    """Remove the files that only the past needs, then let go of all snapshots but the present one.

    In this order: of a file that no snapshot refers to any more, another attempt would not know.
    """
    current = table.current_snapshot()
    past = [snapshot.snapshot_id for snapshot in table.snapshots() if snapshot != current]
    for file in _only_in_the_past(table):
        with suppress(FileNotFoundError):
            table.io.delete(file)
    table.maintenance.expire_snapshots().by_ids(past).commit()


def _only_in_the_past(table: Table) -> list[str]:
    """Return the files that only snapshots before the present one refer to."""
    current = table.current_snapshot()
    needed = set(_files_of(table, current))
    past = (snapshot for snapshot in table.snapshots() if snapshot != current)
    stale = {file for snapshot in past for file in _files_of(table, snapshot)} - needed
    # Rows first, then the manifests that list them, then lists of these: what is left can still be found.
    return sorted(stale, key=lambda file: (file.endswith(".avro"), "/snap-" in file, file))


def _files_of(table: Table, snapshot: Snapshot | None) -> Iterator[str]:
    if snapshot is None:
        return
    yield snapshot.manifest_list
    with suppress(FileNotFoundError):
        for manifest in snapshot.manifests(table.io):
            yield manifest.manifest_path
            with suppress(FileNotFoundError):
                for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                    yield entry.data_file.file_path


def _rows(table: Table, file: str) -> pa.Table:
    return pq.ParquetFile(pa.BufferReader(_read(table, file))).read()


def _holds(table: Table, file: str, needles: Sequence[bytes]) -> bool:
    """Say whether a file holds a needle; one that is missing did, and was removed by an attempt that died."""
    try:
        return holds(file, _read(table, file), needles)
    except FileNotFoundError:
        return True


def _read(table: Table, file: str) -> bytes:
    """Read a file wherever the lake is."""
    with table.io.new_input(file).open() as opened:
        return opened.read()
