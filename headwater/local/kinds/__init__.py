"""What is particular to each part: how its data is prepared, when it is ready, what it needs once it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.local.kinds.airflow import Airflow
from headwater.local.kinds.application import Application
from headwater.local.kinds.connect import Connect
from headwater.local.kinds.kafka import Kafka
from headwater.local.kinds.postgres import Postgres
from headwater.local.kinds.spark import Spark

if TYPE_CHECKING:
    from headwater.local.kinds.kind import Kind
    from headwater.local.record import Part

KINDS: dict[str, Kind] = {
    "postgres": Postgres(),
    "kafka": Kafka(),
    "spark": Spark(),
    "connect": Connect(),
    "airflow": Airflow(),
    "notifier": Application("No notifier yet."),
    "carts": Application("No carts yet."),
    "shop": Application("No customers yet."),
}


def kind_of(part: Part) -> Kind:
    """Return what is particular to a part."""
    return KINDS[part.name]
