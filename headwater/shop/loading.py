"""Loading: records of a simulated past, as fast as the broker takes them.

Batches are made here (see `batches.py`) and sent through kafka-python's connections. As with the ordinary
producer, every batch is acknowledged by all in-sync replicas and carries the producer's id and a sequence, so
a batch that is sent again after a lost answer is stored once.
"""

from __future__ import annotations

import time
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from kafka import KafkaAdminClient
from kafka.errors import (
    DuplicateSequenceNumberError,
    KafkaError,
    LeaderNotAvailableError,
    NoError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafka.protocol.producer import InitProducerIdRequest, ProduceRequest

from headwater.errors import Refusal
from headwater.partitioning import partition_of
from headwater.shop.batches import Batch, Producer

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from headwater.settings import Settings
    from headwater.shop.counts import Counts
    from headwater.shop.progress import Progress
    from headwater.shop.record import Record

Result = TypeVar("Result")

PATIENCE = timedelta(minutes=2)
PAUSE_SECONDS = 0.2
REQUEST_MS = 30_000
RECONNECT_MS = 1_000
NO_TRANSACTION_MS = 60_000
# Small enough that the answer to a signal, or the next line of progress, never waits long.
RECORDS_AT_ONCE = 30_000


def load(
    settings: Settings, records: Iterator[Record], counts: Counts, progress: Progress, stop: threading.Event
) -> None:
    """Send all records; `stop` ends it after the batches at hand."""
    client = KafkaAdminClient(
        **settings.kafka_client("simulator"),
        client_id="headwater-simulator",
        reconnect_backoff_max_ms=RECONNECT_MS,
    )
    try:
        loader = _Loader(client)
        for record in records:
            loader.add(record)
            counts.add(record)
            if loader.waiting >= RECORDS_AT_ONCE:
                loader.send_all()
                progress.tick()
                if stop.is_set():
                    break
        loader.send_all()
    finally:
        client.close()


class _Loader:
    """One producer: the batches it is filling and the sequence it has reached, per partition."""

    def __init__(self, client: KafkaAdminClient) -> None:
        self.client = client
        self.producer = _patiently(lambda: _producer(client))
        self.leaders: dict[str, dict[int, int]] = {}
        self.partitions: dict[tuple[str, bytes], int] = {}
        self.batches: dict[tuple[str, int], Batch] = defaultdict(Batch)
        self.sequences: dict[tuple[str, int], int] = defaultdict(int)
        self.waiting = 0

    def add(self, record: Record) -> None:
        partition = record.partition
        if partition is None:
            partition = self.partitions.get((record.topic, record.key))
            if partition is None:
                partition = self.choose(record.topic, record.key)
        place = (record.topic, partition)
        if not self.batches[place].takes(record.value):
            self.send(place)
        self.batches[place].add(record.key, record.value, record.received_at)
        self.waiting += 1

    def choose(self, topic: str, key: bytes) -> int:
        """Return the partition that Kafka's own producers choose for this key."""
        count = len(_patiently(lambda: self.leaders_of(topic), unless=UnknownTopicOrPartitionError))
        self.partitions[topic, key] = partition_of(key, count)
        return self.partitions[topic, key]

    def send_all(self) -> None:
        for place in list(self.batches):
            self.send(place)

    def send(self, place: tuple[str, int]) -> None:
        batch = self.batches.pop(place)
        self.waiting -= len(batch)
        encoded = batch.encode(self.producer, self.sequences[place])
        _patiently(lambda: self.attempt(place, encoded), between=self.leaders.clear)
        self.sequences[place] += len(batch)

    def attempt(self, place: tuple[str, int], encoded: bytes) -> None:
        """Send a batch once. It is the same batch at every attempt, so what arrives twice is stored once."""
        topic, partition = place
        if partition not in (leaders := self.leaders_of(topic)):
            raise Refusal(f'topic "{topic}" has no partition {partition}', hint="They are counted from 0.")
        if leaders[partition] < 0:
            raise LeaderNotAvailableError(f"{topic}-{partition}")
        answer = _ask(self.client, _request(topic, partition, encoded), leaders[partition])
        error = for_code(answer.responses[0].partition_responses[0].error_code)
        if error not in (NoError, DuplicateSequenceNumberError):
            raise error(f"{topic}-{partition}")

    def leaders_of(self, topic: str) -> dict[int, int]:
        """Return the leader of each partition."""
        if topic not in self.leaders:
            described = self.client.describe_topics([topic])[0]
            error = for_code(described["error_code"])
            if error is not NoError:
                raise error(topic)
            self.leaders[topic] = {
                partition["partition_index"]: partition["leader_id"] for partition in described["partitions"]
            }
        return self.leaders[topic]


def _patiently(
    action: Callable[[], Result],
    *,
    unless: type[KafkaError] | tuple[()] = (),
    between: Callable[[], object] = lambda: None,
) -> Result:
    """Try again while Kafka says that it may help: a broker restarts, a partition moves to another one."""
    deadline = time.monotonic() + PATIENCE.total_seconds()
    while True:
        try:
            return action()
        except KafkaError as error:
            if isinstance(error, unless) or not error.retriable or time.monotonic() > deadline:
                raise
            between()
            time.sleep(PAUSE_SECONDS)


def _producer(client: KafkaAdminClient) -> Producer:
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=NO_TRANSACTION_MS)
    answer = _ask(client, request, None)
    error = for_code(answer.error_code)
    if error is not NoError:
        raise error("no id for a producer")
    return Producer(id=answer.producer_id, epoch=answer.producer_epoch)


def _request(topic: str, partition: int, encoded: bytes) -> ProduceRequest:
    data = ProduceRequest.TopicProduceData
    return ProduceRequest(
        transactional_id=None,
        acks=-1,
        timeout_ms=REQUEST_MS,
        topic_data=[
            data(name=topic, partition_data=[data.PartitionProduceData(index=partition, records=encoded)])
        ],
        min_version=3,
        max_version=9,  # later versions name topics by id
    )


def _ask(client: KafkaAdminClient, request: object, node: int | None) -> Any:
    """Send one request and wait for its answer, on the admin client's connections."""
    manager = client._manager
    return manager.run(manager.send, request, node)
