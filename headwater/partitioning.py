"""Which partition a key belongs to, as Kafka's own producers choose it."""

from __future__ import annotations

from kafka.partitioner import murmur2


def partition_of(key: bytes, partitions: int) -> int:
    """Return the partition of a key among so many."""
    chosen: int = (murmur2(key) & 0x7FFFFFFF) % partitions
    return chosen
