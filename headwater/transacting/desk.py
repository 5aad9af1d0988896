"""Exactly once: the transaction that answers the records of a partition.

A partition has one transactional id, whoever works on it. Taking it over fences off every earlier holder: its
open transaction is aborted, and whatever it still tries is refused, however long it was stopped or cut off.
Only then is it read what was answered and how far, so both are final. The order is the proof:

    fence, recall, seek     nobody else can add to what is read here
    begin, send, offsets, commit   all of it or nothing

Any error ends the session, and everything begins again with the fence, as after a crash: the way back that is
tested by killing is the only one there is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafka import KafkaProducer, OffsetAndMetadata
from kafka.errors import KafkaError

from headwater.transacting.recalling import recall

if TYPE_CHECKING:
    from kafka.structs import ConsumerGroupMetadata

    from headwater.settings import Settings
    from headwater.transacting.route import Route
    from headwater.transacting.work import Answer, Work

ANSWER_SECONDS = 60
# After this time Kafka itself aborts what a dead writer has begun, if none comes to take over.
TRANSACTION_MS = 30_000
CLOSE_SECONDS = 5


class Desk:
    """The one writer of a partition's answers."""

    def __init__(self, settings: Settings, route: Route, partition: int, work: Work) -> None:
        self.route, self.partition, self.work = route, partition, work
        self.producer = KafkaProducer(
            **settings.kafka_client(route.role),
            transactional_id=route.transactional_id(partition),
            transaction_timeout_ms=TRANSACTION_MS,
        )
        try:
            self.producer.init_transactions()  # the fence
            self.recalled = recall(settings, route, partition, work)
        except BaseException:
            self.close()
            raise

    def answer(self, records: list[Any], group: ConsumerGroupMetadata) -> int:
        """Answer records, and mark them as read, in one transaction; return how many answers there were."""
        answers = self.work.answer(records)
        read_up_to = {self.route.place(self.partition): OffsetAndMetadata(records[-1].offset + 1, "", -1)}

        self.producer.begin_transaction()
        self._send(answers)
        self.producer.send_offsets_to_transaction(read_up_to, group)
        self.producer.commit_transaction()
        return len(answers)

    def close(self) -> None:
        """Let go of the partition; a transaction that is still open is aborted by whoever takes over."""
        with suppress(KafkaError):  # it may be what went wrong
            self.producer.close(timeout=CLOSE_SECONDS)

    def _send(self, answers: list[Answer]) -> None:
        """Write answers, and wait until Kafka has them all.

        Kafka's client would commit what it has, if it gives up on a record and nobody looks.
        """
        sent = [
            self.producer.send(
                answer.topic,
                key=answer.key,
                value=answer.value,
                partition=self.partition,
                timestamp_ms=answer.timestamp,
            )
            for answer in answers
        ]
        for receipt in sent:
            receipt.get(timeout=ANSWER_SECONDS)
