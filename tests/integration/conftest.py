"""Topics that a test declares and alters as it likes."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaAdminClient

from tests.declared_topics import Declared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from headwater.settings import Settings


@pytest.fixture
def admin(instance: Settings) -> Iterator[KafkaAdminClient]:
    with KafkaAdminClient(**instance.kafka_client("admin")) as client:
        yield client


@pytest.fixture
def declared(instance: Settings, admin: KafkaAdminClient, tmp_path: Path) -> Iterator[Declared]:
    file = Declared(settings=instance, folder=tmp_path, suffix=f"_{uuid.uuid4().hex[:12]}")
    file.write()
    yield file
    if file.name in admin.list_topics():
        admin.delete_topics([file.name])
