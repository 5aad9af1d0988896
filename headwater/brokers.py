"""Talking to Kafka's brokers as one of the roles."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


@contextmanager
def admin_client(settings: Settings, role: str) -> Iterator[KafkaAdminClient]:
    """Open Kafka's admin interface; what Kafka says no to becomes a refusal."""
    try:
        with KafkaAdminClient(**settings.kafka_client(role), client_id=f"headwater-{role}") as client:
            yield client
    except KafkaError as error:
        raise Refusal(
            f"Kafka at {settings.kafka_bootstrap_servers} refused or did not answer",
            detail=f"{type(error).__name__}: {error}",
            hint="See whether the part `kafka` runs: `make status`.",
        ) from error
