"""The conservation law: every offset that a version covers is accounted for, by an unbroken row of batches.

    offsets covered = used + quarantined + late + repeated + gaps        for each partition

Gaps are offsets from which no record arrived. Compaction leaves some; in a topic that keeps all its records
until they expire, a gap is a record that was lost. The history of the table is the witness: each batch says
up to where it read and what became of its records. Two others may commit: maintenance, which moves rows to
other files, and a backfill, whose rows are made of the same records. A commit by anybody else makes the rows
something that no ledger covers, so it is a fault whatever it did.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from headwater.replay.proof import Conservation, PartitionLedger
from spark_apps.histories import REWRITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from expectations.closing import Offsets, Topics
    from expectations.snapshots import Snapshot

PARTS = ("used", "quarantined", "late", "repeated")


def conserve(
    history: Sequence[Snapshot], began: Offsets, planned: Offsets | None, topics: Topics
) -> Conservation:
    """Check the history of a version, oldest snapshot first, that `began` reading at these offsets.

    `planned` are the offsets at which it should have begun, if that was decided by anybody. One that was
    rebuilt at a seam opens with a history that the batch engine wrote; its query must begin where that ends.
    """
    batches = [snapshot for snapshot in history if snapshot.batch is not None]
    opening, warnings = _opening(history), []
    if history and history[0].parent is not None:
        # The oldest snapshot left says where the rest begins; what it did itself cannot be checked.
        began, planned, batches = batches[0].offsets if batches else began, None, batches[1:]
        warnings = ["Older snapshots have been expired: only the records since then are accounted for."]
    elsewhere = [*_begun_elsewhere(began, opening[0].offsets if opening else planned)]
    if opening:  # then the whole begins where the history does
        began = planned or {}
    commits = [*opening, *batches]
    return Conservation(
        batches=len(batches),
        partitions=tuple(_ledgers(commits, began, topics)),
        faults=(
            *_foreign(history[len(opening) :]),
            *_out_of_order(batches),
            *_more_than_covered(commits, began),
            *elsewhere,
        ),
        warnings=tuple(warnings),
    )


def _opening(history: Sequence[Snapshot]) -> list[Snapshot]:
    """Return the rows that the batch engine wrote first, if it did, as a commit up to where it covers."""
    return [
        replace(first, offsets=first.history)
        for first in history[:1]
        if first.history is not None and first.parent is None
    ]


def _ledgers(commits: Sequence[Snapshot], began: Offsets, topics: Topics) -> Iterator[PartitionLedger]:
    reached = commits[-1].offsets if commits else began
    for topic, ends in sorted(reached.items()):
        for partition, end in sorted(ends.items(), key=lambda item: int(item[0])):
            parts = _total(commits, topic, partition)
            yield PartitionLedger(
                topic=topic,
                partition=int(partition),
                # A partition that was added later is read from its first record.
                start=began.get(topic, {}).get(partition, 0),
                end=end,
                gaps_expected=topics[topic].cleanup == "compact",
                **{part: parts[part] for part in PARTS},
            )


def _total(commits: Sequence[Snapshot], topic: str, partition: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for commit in commits:
        total.update(commit.counts.get(topic, {}).get(partition, {}))
    return total


def _foreign(history: Sequence[Snapshot]) -> Iterator[str]:
    for snapshot in history:
        if snapshot.batch is None and not snapshot.backfill and snapshot.operation != REWRITE:
            yield (
                f"Snapshot {snapshot.id} ({snapshot.committed_at:%Y-%m-%d %H:%M:%S}) is no batch of this "
                f"view: somebody else changed its rows ({snapshot.operation})."
            )


def _out_of_order(batches: Sequence[Snapshot]) -> Iterator[str]:
    if len(checkpoints := {batch.query for batch in batches}) > 1:
        yield f"The rows were written from {len(checkpoints)} different checkpoints."
    for before, batch in pairwise(batches):
        if batch.query == before.query and _number(batch) <= _number(before):
            yield f"Batch {batch.batch} comes after batch {before.batch}."
        if any(_went_back(before.offsets.get(topic, {}), ends) for topic, ends in batch.offsets.items()):
            yield f"Batch {batch.batch} ends before batch {before.batch} does."


def _more_than_covered(commits: Sequence[Snapshot], began: Offsets) -> Iterator[str]:
    """Tell commits with more records than offsets: in the total, they could hide records that were lost."""
    reached = began
    for commit in commits:
        name = "The history" if commit.batch is None else f"Batch {commit.batch}"
        for topic, ends in commit.offsets.items():
            for partition, end in ends.items():
                covered = end - reached.get(topic, {}).get(partition, 0)
                counts = commit.counts.get(topic, {}).get(partition, {})
                if counts.get("arrived", 0) > covered or min(counts.values(), default=0) < 0:
                    yield f"{name} does not add up for {topic} partition {partition}."
        reached = commit.offsets


def _number(batch: Snapshot) -> int:
    return -1 if batch.batch is None else batch.batch


def _went_back(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    return any(after.get(partition, 0) < offset for partition, offset in before.items())


def _begun_elsewhere(began: Offsets, planned: Offsets | None) -> Iterator[str]:
    for topic, offsets in (planned or {}).items():
        for partition, offset in offsets.items():
            actual = began.get(topic, {}).get(partition)
            if actual is not None and actual != offset:
                yield f"It began at offset {actual:,} of {topic} partition {partition}, not at {offset:,}."
