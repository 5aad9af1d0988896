"""At least once: a channel's way through the notifications.

Each channel is a consumer group of its own, in a thread of its own: it delivers, then commits how far it is.
A crash between the two delivers again. A failure is tried again with growing pauses, for ever, in order: the
lag of its group `headwater.notifier.<channel>` tells. Neither the notifier nor another channel waits for it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kafka import KafkaConsumer, OffsetAndMetadata

from headwater import offsets
from headwater.brokers import admin_client
from headwater.notifier.alert import Alert
from headwater.notifier.route import ROLE, Route
from headwater.transacting.desk import CLOSE_SECONDS
from headwater.transacting.following import HEARTBEAT_MS, POLL_MS, SESSION_MS
from headwater.transacting.pauses import Pauses

if TYPE_CHECKING:
    import threading

    from headwater.notifier.channels import Channel
    from headwater.settings import Settings

log = logging.getLogger("headwater.notifier")

# So few that even slow deliveries are done before Kafka takes the group for dead.
AT_A_TIME = 10


def mark_beginnings(settings: Settings, route: Route, channels: list[Channel]) -> None:
    """Let a channel that is new begin with what is notified from now on, and not with the last 30 days."""
    with admin_client(settings, ROLE) as client:
        ends = {
            str(partition): end for partition, end in offsets.ends(client, route.notifications.name).items()
        }
        for channel in channels:
            group = route.channel_group(channel.name)
            if route.notifications.name not in offsets.published(client, group):
                offsets.publish(client, group, {route.notifications.name: ends})


def deliver_until(
    stop: threading.Event, settings: Settings, route: Route, channel: Channel, name: str | None
) -> None:
    """Deliver until `stop` is set, whatever goes wrong on the way."""
    pauses = Pauses()
    while not stop.is_set():
        try:
            _deliver(stop, settings, route, channel, name, pauses)
        except Exception as error:  # a channel calls what others run: anything may come back
            pause = pauses.longer()
            log.warning(
                "delivery failed channel=%s error=%s: %s again_in=%s s",
                *(channel.name, type(error).__name__, error, pause),
            )
            stop.wait(pause)


def _deliver(
    stop: threading.Event,
    settings: Settings,
    route: Route,
    channel: Channel,
    name: str | None,
    pauses: Pauses,
) -> None:
    consumer = KafkaConsumer(
        route.notifications.name,
        **settings.kafka_client(ROLE),
        group_id=route.channel_group(channel.name),
        group_instance_id=name,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
        max_poll_records=AT_A_TIME,
    )
    try:
        while not stop.is_set():
            for place, records in consumer.poll(timeout_ms=POLL_MS).items():
                for record in records:
                    channel.deliver(Alert.model_validate_json(record.value))
                    consumer.commit({place: OffsetAndMetadata(record.offset + 1, "", -1)})
                    pauses.reset()
    finally:
        consumer.close(timeout_ms=CLOSE_SECONDS * 1000)
