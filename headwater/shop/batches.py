"""Kafka's record batches, made in bulk.

kafka-python's producer spends some 40 µs on each record, most of it on a future that a bulk load has no use
for. Here a record costs 2 µs: the format (version 2, the only one that Kafka 4 knows) is a header and, for
each record, a handful of variable-length numbers around key and value.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from kafka.record.default_records import DefaultRecordBase
from kafka.record.util import calc_crc32c

HEADER = DefaultRecordBase.HEADER_STRUCT
NOTHING = b"\x01"  # the length -1: no value
GZIP_WINDOW = 31
# The log's limit for a batch is about 1 MiB; the rest is left for the header and the last record's lengths.
LARGEST_BATCH = 1_000_000
MOST_RECORDS = 20_000


def _number(value: int) -> bytes:
    """Encode a number as Kafka does: zigzag, seven bits a byte, the lowest first."""
    rest = (value << 1) ^ (value >> 63)
    encoded = bytearray()
    while rest > 0x7F:
        encoded.append(0x80 | (rest & 0x7F))
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


NUMBERS = tuple(_number(value) for value in range(MOST_RECORDS))


def number(value: int) -> bytes:
    """Encode a number; the small ones, nearly all, are looked up."""
    return NUMBERS[value] if 0 <= value < MOST_RECORDS else _number(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """Who writes: Kafka drops a batch that the same producer has written before with the same sequence."""

    id: int
    epoch: int


class Batch:
    """Records for one partition, in order."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.first = 0
        self.newest = 0

    def __len__(self) -> int:
        return len(self.parts)

    def takes(self, value: bytes | None) -> bool:
        """Say whether another record fits; an empty batch takes any."""
        room = self.size + len(value or b"") < LARGEST_BATCH and len(self.parts) < MOST_RECORDS
        return room or not self.parts

    def add(self, key: bytes, value: bytes | None, timestamp: int) -> None:
        """Append a record."""
        if not self.parts:
            self.first = self.newest = timestamp
        self.newest = max(self.newest, timestamp)
        body = b"\0%b%b%b%b%b\0" % (
            number(timestamp - self.first),
            number(len(self.parts)),
            number(len(key)) + key,
            NOTHING if value is None else number(len(value)),
            value or b"",
        )
        self.parts.append(number(len(body)) + body)
        self.size += len(body)

    def encode(self, producer: Producer, sequence: int) -> bytes:
        """Return the batch as Kafka stores it, compressed."""
        # The fastest level: it makes JSON five times smaller, and the checksum with it five times cheaper.
        compressor = zlib.compressobj(level=1, wbits=GZIP_WINDOW)
        records = compressor.compress(b"".join(self.parts)) + compressor.flush()
        header = HEADER.pack(
            *(0, HEADER.size - DefaultRecordBase.AFTER_LEN_OFFSET + len(records), 0, 2, 0),
            *(DefaultRecordBase.CODEC_GZIP, len(self.parts) - 1, self.first, self.newest),
            *(producer.id, producer.epoch, sequence, len(self.parts)),
        )
        encoded = bytearray(header + records)
        checksum = calc_crc32c(memoryview(encoded)[DefaultRecordBase.ATTRIBUTES_OFFSET :])
        struct.pack_into(">I", encoded, DefaultRecordBase.CRC_OFFSET, checksum)
        return bytes(encoded)
