"""A batch of which the cleaner has left nothing but the header, as kafka-python sees it."""

from __future__ import annotations

import struct

import pytest
from kafka.consumer.fetcher import Fetcher
from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecordBase
from kafka.record.util import calc_crc32c

from headwater.topics import reading

HEADER = DefaultRecordBase.HEADER_STRUCT
TRANSACTIONAL, CONTROL = 0x10, 0x20
ABORT, COMMIT = 0, 1


def batch(*markers: int) -> bytes:
    """Return a control batch with these markers, as the log has it; without any, what the cleaner leaves."""
    records = b"".join(_marker(kind) for kind in markers)
    length = HEADER.size - DefaultRecordBase.AFTER_LEN_OFFSET + len(records)
    encoded = bytearray(
        HEADER.pack(0, length, 0, 2, 0, TRANSACTIONAL | CONTROL, 0, 0, 0, 7, 0, -1, len(markers)) + records
    )
    checksum = calc_crc32c(memoryview(encoded)[DefaultRecordBase.ATTRIBUTES_OFFSET :])
    struct.pack_into(">I", encoded, DefaultRecordBase.CRC_OFFSET, checksum)
    return bytes(encoded)


def _marker(kind: int) -> bytes:
    """Return a record whose key tells how a transaction ended, with lengths as Kafka writes them: doubled."""
    key, value = struct.pack(">hh", 0, kind), struct.pack(">hi", 0, 0)
    body = b"\0\0\0" + bytes([2 * len(key)]) + key + bytes([2 * len(value)]) + value + b"\0"
    return bytes([2 * len(body)]) + body


@pytest.mark.parametrize(("markers", "aborts"), [((), False), ((ABORT,), True), ((COMMIT,), False)])
def test_marker_tells_of_an_abort_and_a_cleaned_batch_tells_nothing(
    markers: tuple[int, ...], aborts: bool
) -> None:
    found = MemoryRecords(batch(*markers)).next_batch()
    assert found.is_control_batch
    assert Fetcher.PartitionRecords._contains_abort_marker(None, found) is aborts
    assert Fetcher.PartitionRecords._contains_abort_marker is reading._tells_of_an_abort
