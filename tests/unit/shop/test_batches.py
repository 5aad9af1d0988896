"""Batches made in bulk are what Kafka's own clients read."""

from __future__ import annotations

from kafka.record.default_records import DefaultRecordBatch

from headwater.shop.batches import Batch, Producer

PRODUCER = Producer(id=42, epoch=3)


def filled(*records: tuple[bytes, bytes | None, int]) -> Batch:
    batch = Batch()
    for key, value, timestamp in records:
        batch.add(key, value, timestamp)
    return batch


def test_a_batch_reads_back_as_it_was_written() -> None:
    written = [
        (b"a", b"one", 1_741_003_200_000),
        (b"b", None, 1_741_003_200_007),
        (b"", b"", 1_741_003_100_000),
        (b"k" * 200, b"v" * 900_000, 1_741_003_300_000),
    ]
    batch = DefaultRecordBatch(filled(*written).encode(PRODUCER, 17))
    assert batch.validate_crc()
    assert batch.max_timestamp == 1_741_003_300_000
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (42, 3, 17)
    assert [(record.key, record.value, record.timestamp) for record in batch] == written


def test_many_records_keep_their_order() -> None:
    batch = filled(*((b"key", b"%d" % number, 1_000 + number) for number in range(20_000)))
    read = DefaultRecordBatch(batch.encode(PRODUCER, 0))
    assert [record.value for record in read] == [b"%d" % number for number in range(20_000)]
    assert not batch.takes(b"")


def test_a_batch_takes_no_more_than_kafka_does_but_always_one_record() -> None:
    large = b"x" * 900_000
    assert Batch().takes(large)
    assert not filled((b"k", large, 0)).takes(large)
    assert filled((b"k", large, 0)).takes(b"small")
