"""What comes between two batches of a running view counts in the next one.

sessions   12:00 ●         ● 12:18      two batches, two sessions, both open
                     ● 12:09            a later batch: one session

stored     bike ≤ 200 ───────[ bike ≤ 400 ───────╳ deleted
listed       ● 150  ● 300        ● 300              ● 150

failed     ✗       ✗   ✗ alert          the third is at 12:03
               ✗ heard of later         now it is at 12:02: the row moves, and nobody is told again
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer

from headwater.topics.reading import read_whole
from spark_apps import catalog
from tests.log_records import milliseconds
from tests.streams import Log, following, job_of, ledger_of, new_log, rows_of, run, wait_while_running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

NOON = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=3)


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, "page_views", "listings", "stored_queries", "logins", "alerts")


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def tell(log: Log, topic: str, key: str, value: dict[str, Any] | None, received: float) -> None:
    """Send a record, and wait until the log has it."""
    kafka = KafkaProducer(**log.settings.kafka_client("simulator"))
    body = None if value is None else json.dumps(value).encode()
    timestamp = milliseconds(at(received))
    kafka.send(log.topics[topic].name, key=key.encode(), value=body, timestamp_ms=timestamp)
    kafka.close()


def look(log: Log, user: str, page: str, *, looked: float, received: float | None = None) -> None:
    received = looked if received is None else received
    times = {"occurred_at": milliseconds(at(looked)), "sent_at": milliseconds(at(received))}
    view = {"event_id": f"{user} {page}", "user_id": user, "page": page, **times}
    tell(log, "page_views", user, view, received)


def test_page_view_of_a_later_batch_makes_two_open_sessions_one(lake: SparkSession, log: Log) -> None:
    """Ada's arrives nine and a half minutes after she looked, just in time; Bob has none in between."""
    view = log.view(catalog.view("user_sessions"))
    for user in ("ada", "bob"):
        look(log, user, "/home", looked=0)
        look(log, user, "/exit", looked=18)
    run(lake, job_of(lake, log, view))
    look(log, "ada", "/cart", looked=9, received=18.5)
    run(lake, job_of(lake, log, view))
    assert rows_of(lake, view).count() == 0, "a session was told before it was over"
    look(log, "cyd", "/home", looked=60)  # time moves on
    run(lake, job_of(lake, log, view))
    found = [(row.user_id, row.pages, row.entry_page, row.exit_page) for row in rows_of(lake, view).collect()]
    assert sorted(found) == [
        ("ada", 3, "/home", "/exit"),
        ("bob", 1, "/exit", "/exit"),
        ("bob", 1, "/home", "/home"),
    ]
    assert len(ledger_of(lake, view)) >= 3, "all was in one batch"


def fail(log: Log, *moments: float, received: float | None = None) -> None:
    for moment in moments:
        arrived = moment if received is None else received
        times = {"occurred_at": milliseconds(at(moment)), "sent_at": milliseconds(at(arrived))}
        login = {"event_id": f"failed at {moment}", "user_id": "ada", "country": "DE", "succeeded": False}
        tell(log, "logins", "ada", {**login, **times}, arrived)


def test_beginning_of_a_burst_that_moves_ahead_is_not_told_again(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("failed_login_alerts"))

    def told() -> list[str]:
        run(lake, job_of(lake, log, view, publish=True))
        alerts = read_whole(log.settings, log.topics["alerts"].name)
        return [json.loads(alert.value)["message"] for alert in alerts]

    def beginnings() -> list[str]:
        return [row.login_id for row in rows_of(lake, view).orderBy("failed_at").collect()]

    fail(log, 0, 2, 3)
    first = "Three failed logins within 180 seconds."
    assert (told(), beginnings()) == ([first], ["failed at 3"])
    fail(log, 1, received=4)
    assert (told(), beginnings()) == ([first], ["failed at 2"])
    fail(log, 12, 13, 14)  # another burst
    another = "Three failed logins within 120 seconds."
    assert (told(), beginnings()) == ([first, another], ["failed at 2", "failed at 14"])


class Market:
    """Listings and stored queries, and which of them a running view has brought together."""

    def __init__(self, lake: SparkSession, log: Log, view: View) -> None:
        self._lake, self._log, self._view = lake, log, view
        self._minute = 0

    def store(self, query: str, words: str, price: float | None = None) -> None:
        stored = {"query_id": query, "user_id": "ada", "words": words, "price_at_most": price}
        tell(self._log, "stored_queries", query, stored, self._next())

    def delete(self, query: str) -> None:
        tell(self._log, "stored_queries", query, None, self._next())

    def list(self, listing: str, title: str, price: float) -> None:
        minute = self._next()
        moment = {"occurred_at": milliseconds(at(minute)), "sent_at": milliseconds(at(minute))}
        listed = {"listing_id": listing, "title": title, "category": "sports", "price": price}
        tell(self._log, "listings", listing, {"event_id": listing, **listed, **moment}, minute)

    def alerts(self) -> set[tuple[str, str]]:
        return {(row.listing_id, row.query_id) for row in rows_of(self._lake, self._view).collect()}

    def _next(self) -> int:
        self._minute += 1
        return self._minute


def test_stored_query_is_added_changed_and_deleted_under_a_running_stream(
    lake: SparkSession, log: Log
) -> None:
    """Somebody always waits for lamps: when a lamp is told, all that was listed before it is decided."""
    view = log.view(catalog.view("search_alerts"))
    market = Market(lake, log, view)
    market.store("lamps", "lamp")
    market.list("too early", "Red bike", 150)
    with following(lake, job_of(lake, log, view)) as query:

        def told_by(lamp: str) -> set[tuple[str, str]]:
            market.list(lamp, "Green lamp", 5)
            wait_while_running(query, f"{lamp} is told", lambda: (lamp, "lamps") in market.alerts())
            return {pair for pair in market.alerts() if pair[1] != "lamps"}

        assert told_by("lamp 1") == set()
        market.store("bikes", "bike", 200)
        market.list("cheap", "Red bike", 150)
        market.list("dear", "Red bike", 300)
        assert told_by("lamp 2") == {("cheap", "bikes")}
        market.store("bikes", "bike", 400)
        market.list("dear again", "Blue bike", 300)
        assert told_by("lamp 3") == {("cheap", "bikes"), ("dear again", "bikes")}
        market.delete("bikes")
        market.list("cheap again", "Blue bike", 150)
        assert told_by("lamp 4") == {("cheap", "bikes"), ("dear again", "bikes")}
