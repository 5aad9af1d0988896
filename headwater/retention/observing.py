"""What Kafka keeps of each topic, and how far queries are from what it lets go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from headwater import offsets, peeking
from headwater.brokers import admin_client
from headwater.retention.margins import Margin, Partition, margin, tightest
from headwater.topics.cluster import configs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from headwater.settings import Settings

    Reached = Mapping[str, Mapping[str, int]]  # by topic and partition


def usage(settings: Settings, topics: Collection[str]) -> list[Partition]:
    """Return the partitions of topics: what they hold, how large they are, and how long records are kept."""
    with admin_client(settings, "apps") as client:
        sizes, settled = offsets.sizes(client, topics), configs(client, list(topics))
        return [
            Partition(
                topic=topic,
                partition=number,
                beginning=beginning,
                end=ends[number],
                size=sizes[topic].get(number, 0),
                retention=_retention(settled[topic]),
                limit=_limit(settled[topic]),
            )
            for topic in sorted(topics)
            for ends in [offsets.ends(client, topic)]
            for number, beginning in sorted(offsets.beginnings(client, topic).items())
        ]


def _retention(config: Mapping[str, str]) -> timedelta | None:
    kept = int(config["retention.ms"])
    return timedelta(milliseconds=kept) if kept >= 0 and "delete" in config["cleanup.policy"] else None


def _limit(config: Mapping[str, str]) -> int | None:
    kept = int(config["retention.bytes"])
    return kept if kept >= 0 and "delete" in config["cleanup.policy"] else None


def margins(settings: Settings, queries: Mapping[str, Reached]) -> dict[str, Margin]:
    """Return the tightest margin of each query, given how far it has read."""
    topics = {topic for reached in queries.values() for topic in reached}
    parts = {(part.topic, part.partition): part for part in usage(settings, topics)} if topics else {}
    reading = [
        (query, parts[topic, int(number)], offset)
        for query, reached in queries.items()
        for topic, ends in reached.items()
        for number, offset in ends.items()
        if (topic, int(number)) in parts
    ]
    unread = {_place(part, offset) for _query, part, offset in reading if offset < part.end}
    received, now = peeking.received_at(settings, unread), datetime.now(UTC)
    found: dict[str, list[Margin]] = {}
    for query, part, offset in reading:
        one = margin(part, offset, received.get(_place(part, offset)), now)
        found.setdefault(query, []).append(one)
    return {query: least for query, of_query in found.items() if (least := tightest(of_query))}


def _place(part: Partition, offset: int) -> tuple[str, int, int]:
    return part.topic, part.partition, max(offset, part.beginning)
