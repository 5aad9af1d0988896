"""Checking the cold log: what it holds against what Kafka holds, and against its own rows.

Whatever Kafka has let go must be archived, and every record that was archived must still be there. Offsets
without a record are told, and are no loss, as long as they lie in a range that was read (see `holding.py`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import lake, offsets
from headwater.brokers import admin_client
from headwater.cold_log import holding
from headwater.cold_log.holding import Archived
from headwater.cold_log.reading import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kafka import KafkaAdminClient

    from headwater.cold_log.holding import Holding, Range
    from headwater.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One partition: what is archived of it, and what Kafka has."""

    topic: str
    partition: int
    archived: Archived
    rows: int  # that the archive has now
    beginning: int  # of what Kafka still holds
    end: int
    recreated: bool = False

    @property
    def first(self) -> int:
        """The first offset that was archived: what had expired by then is no loss of the archive's."""
        return self.archived.ranges[0][0] if self.archived.ranges else self.beginning

    @property
    def reached(self) -> int:
        """The next offset to archive."""
        return self.archived.ranges[-1][1] if self.archived.ranges else self.first

    @property
    def gaps(self) -> int:
        """Count the offsets that were read and gave no record: compacted, or markers of transactions."""
        return sum(after - first for first, after in self.archived.ranges) - self.archived.records

    @property
    def lost(self) -> list[Range]:
        """The offsets that neither the archive nor Kafka has, although the archive had begun."""
        return self.archived.missing(self.first, self.beginning)

    @property
    def verdict(self) -> str:
        """Say how it is, in few words."""
        if self.recreated:
            return "deleted and made anew: not archived"
        if self.lost:
            return "lost: " + ", ".join(f"{first} to {after - 1}" for first, after in self.lost)
        if self.rows != self.archived.records:
            return f"damaged: {self.rows:,} rows of {self.archived.records:,} records"
        return "whole" if self.reached == self.end else f"whole, {self.end - self.reached:,} behind"

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return self.verdict.startswith("whole")


def check(settings: Settings, topics: Iterable[str]) -> list[Finding]:
    """Look at every partition of the topics."""
    ledger, rows = held(settings), _count(settings)
    with admin_client(settings, "apps") as client:
        ids = offsets.topic_ids(client, topics)
        return [
            finding
            for topic, topic_id in sorted(ids.items())
            for finding in _findings(client, topic, topic_id, ledger.get(topic), rows)
        ]


def _findings(
    client: KafkaAdminClient,
    topic: str,
    topic_id: str,
    known: Holding | None,
    rows: Mapping[tuple[str, int], int],
) -> Iterator[Finding]:
    ends = offsets.ends(client, topic)
    for partition, beginning in sorted(offsets.beginnings(client, topic).items()):
        yield Finding(
            topic=topic,
            partition=partition,
            archived=known.partition(partition) if known else Archived(),
            rows=rows.get((topic, partition), 0),
            beginning=beginning,
            end=ends[partition],
            recreated=known is not None and known.topic_id != topic_id,
        )


def _count(settings: Settings) -> Counter[tuple[str, int]]:
    """Count the rows of each partition, a file at a time: the archive may be larger than memory."""
    import pyarrow as pa

    found: Counter[tuple[str, int]] = Counter()
    if (table := lake.table(settings, holding.TABLE)) is None:
        return found
    for batch in table.scan(selected_fields=("topic", "partition")).to_arrow_batch_reader():
        counted = (
            pa.Table.from_batches([batch]).group_by(["topic", "partition"]).aggregate([([], "count_all")])
        )
        found.update({(row["topic"], row["partition"]): row["count_all"] for row in counted.to_pylist()})
    return found
