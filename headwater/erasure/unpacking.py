"""Looking into files: what is packed is unpacked first, since packed words do not have their letters.

    Parquet         the columns' own buffers, decompressed
    Avro            blocks, as Iceberg's manifests have them
    Kafka segments  record batches
    gzip, zip       what is inside

Every file is also looked at as it is: footers, statistics, headers and whatever else is not packed.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Unpack = Callable[[bytes], Iterator[bytes | memoryview]]

AVRO = b"Obj\x01"
SYNC_BYTES = 16
# Of a batch of version 2: its length is counted from behind the length field; then come its own fields.
BATCH_HEADER, BATCH_LENGTH_AT, BATCH_ATTRIBUTES_AT = 61, 8, 21
CODECS = {1: "gzip", 3: "lz4", 4: "zstd"}
# Compressed inside, in ways of their own: RocksDB's tables, and the changes that Spark writes between them.
OPAQUE = (".sst", ".changelog")


def unpack(name: str, content: bytes) -> Iterator[bytes | memoryview]:
    """Yield what a file holds inside; nothing if it is not packed in a way that is known."""
    path = Path(name)
    if content[:4] == b"PAR1":
        yield from _parquet(content)
    elif content[:4] == AVRO:
        yield from _avro(content)
    elif content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    elif content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield archive.read(member)
    elif ".log" in path.suffixes and path.stem.split(".")[0].isdecimal():
        yield from _kafka(content)


def is_opaque(name: str, content: bytes) -> bool:
    """Say whether a file holds something that nobody here can look into."""
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(member.endswith(OPAQUE) for member in archive.namelist())
    return name.endswith(OPAQUE)


def _parquet(content: bytes) -> Iterator[memoryview]:
    for batch in pq.ParquetFile(pa.BufferReader(content)).iter_batches():
        for column in batch.columns:
            yield from (memoryview(buffer) for buffer in column.buffers() if buffer is not None)


def _avro(content: bytes) -> Iterator[bytes]:
    """Yield the blocks of a file whose codec is deflate or none: a count, a length, the block, a marker."""
    end_of_header = _after_avro_header(content)
    place = end_of_header
    while place < len(content):
        _count, place = _number(content, place)
        length, place = _number(content, place)
        block = content[place : place + length]
        yield zlib.decompress(block, -15) if b"deflate" in content[:end_of_header] else block
        place += length + SYNC_BYTES


def _after_avro_header(content: bytes) -> int:
    """Return where the first block begins: behind a map of texts, which ends with a count of 0."""
    place = len(AVRO)
    while True:
        count, place = _number(content, place)
        if count == 0:
            return place + SYNC_BYTES
        if count < 0:  # then its size in bytes comes first
            _size, place = _number(content, place)
        for _ in range(2 * abs(count)):
            length, place = _number(content, place)
            place += length


def _number(content: bytes, place: int) -> tuple[int, int]:
    """Read a number as Avro writes it (zigzag, seven bits a byte); return it and where it ends."""
    shift = value = 0
    while True:
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not byte & 0x80:
            return (value >> 1) ^ -(value & 1), place


def _kafka(content: bytes) -> Iterator[bytes]:
    place = 0
    while place + BATCH_HEADER <= len(content):
        (length,) = struct.unpack_from(">i", content, place + BATCH_LENGTH_AT)
        (attributes,) = struct.unpack_from(">h", content, place + BATCH_ATTRIBUTES_AT)
        end = place + BATCH_LENGTH_AT + 4 + length
        if length <= 0 or end > len(content):
            return  # space that was reserved and not written yet, or a batch that is being written
        if number := attributes & 0x07:
            if number not in CODECS:
                raise ValueError("a batch is packed with Snappy, in Kafka's own way")
            packed = pa.py_buffer(content[place + BATCH_HEADER : end])
            yield pa.input_stream(packed, compression=CODECS[number]).read()
        place = end
