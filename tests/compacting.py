"""A cleaner in a hurry."""

from __future__ import annotations

# What a topic needs beside its own shape to be compacted now: only a segment that is closed is ever cleaned.
IN_A_HURRY = {
    "segment.ms": "200",
    "min.cleanable.dirty.ratio": "0.01",
    "min.compaction.lag.ms": "0",
    "delete.retention.ms": "0",
}
