"""Rows become records that their topic takes, and the same row always becomes the same record."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from headwater.topics import load_topics
from spark_apps import catalog, publishing
from spark_apps.decode import decode
from tests.dataframes import dataframe
from tests.log_records import milliseconds, record, records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.topics import Topic

# Of today, because the log takes nothing that was held back for longer than a day.
THEN = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=15)
SOON = THEN + timedelta(seconds=90)
THEN_TOLD, SOON_TOLD = milliseconds(THEN), milliseconds(SOON)

# For each view with an output topic: two rows, the first of which will be told as this.
ROWS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]]] = {
    "ad_clicks": (
        (THEN, "i1", "ad", "ada", SOON, "c1"),
        (THEN, "i2", "ad", "ada", None, None),
        {
            "impression_id": "i1",
            "ad_id": "ad",
            "user_id": "ada",
            "shown_at": THEN_TOLD,
            "clicked_at": SOON_TOLD,
            "occurred_at": THEN_TOLD,
        },
    ),
    "failed_login_alerts": (
        (SOON, "l3", "ada", THEN),
        (SOON, "l4", "ada", THEN),
        {
            "subject": "ada",
            "kind": "failed logins",
            "state": "raised",
            "message": "Three failed logins within 90 seconds.",
            "occurred_at": SOON_TOLD,
        },
    ),
    "fraud_alerts": (
        (SOON, "p1", "ada", "o1", 12.5, "US", THEN, "l1", "FR"),
        (SOON, "p2", "ada", "o1", 12.5, "US", THEN, "l1", "FR"),
        {
            "subject": "ada",
            "kind": "fraud",
            "state": "raised",
            "message": "Order o1 of 12.50 was placed from US, 90 seconds after a login in FR.",
            "occurred_at": SOON_TOLD,
        },
    ),
    "live_figures": (
        (THEN, SOON, 0.033, 5, 1, "/cart", 9),
        (THEN, SOON, 0.033, 5, 1, None, 10),
        {
            "from_at": THEN_TOLD,
            "until_at": SOON_TOLD,
            "views_per_second": 0.033,
            "orders": 5,
            "alerts": 1,
            "worst_endpoint": "/cart",
            "revision": 9,
            "occurred_at": THEN_TOLD,
        },
    ),
    "search_alerts": (
        (THEN, "l1", "q1", "ada", 'A "red" bike', "sports", 150.0),
        (THEN, "l1", "q2", "ada", 'A "red" bike', "sports", 150.0),
        {
            "subject": "ada",
            "kind": "search",
            "state": "raised",
            "message": 'Listed in sports for 150.00: A "red" bike (l1).',
            "occurred_at": THEN_TOLD,
        },
    ),
}


def test_every_view_with_an_output_topic_is_tried_here() -> None:
    assert set(ROWS) == {name for name, view in catalog.views().items() if view.publishes}


@pytest.mark.parametrize("name", ROWS)
def test_row_is_told_in_the_fields_of_its_topic_under_an_id_of_its_own(
    spark: SparkSession, name: str
) -> None:
    row, another, expected = ROWS[name]
    told = tell(spark, name, row, another, row)
    assert reasons(spark, topic_of(name), told) == {None}
    key, value = told[0].key, json.loads(told[0].value)
    assert value.pop("sent_at") >= value["occurred_at"]
    assert value == expected | {"event_id": event_id(told[0])}
    assert key == value[topic_of(name).key]
    assert event_id(told[0]) == event_id(told[2]) != event_id(told[1])


def test_corrected_row_keeps_its_id(spark: SparkSession) -> None:
    """A login that turns up out of order corrects the row, and nobody hears of the purchase twice."""
    purchase = (SOON, "p1", "ada", "o1", 12.5, "US")
    rows = [(*purchase, THEN, "l1", "FR"), (*purchase, SOON, "l2", "DE")]
    first, corrected = tell(spark, "fraud_alerts", *rows)
    assert event_id(first) == event_id(corrected)
    assert first.value != corrected.value


def topic_of(name: str) -> Topic:
    publication = catalog.view(name).publishes
    assert publication
    return load_topics()[publication.topic]


def tell(spark: SparkSession, name: str, *rows: tuple[Any, ...]) -> list[Any]:
    """Return the records that tell of these rows, in their order."""
    view = catalog.view(name)
    return publishing.records(dataframe(spark, rows, view.schema), view, topic_of(name)).collect()


def reasons(spark: SparkSession, topic: Topic, told: list[Any]) -> set[str | None]:
    """Return what a reader of the topic has against these records."""
    heard = [record(row.value.encode(), key=row.key.encode(), received=datetime.now(UTC)) for row in told]
    return {row.reason for row in decode(records(spark, heard), topic).select("reason").collect()}


def event_id(told: Any) -> str:
    return str(json.loads(told.value)["event_id"])
