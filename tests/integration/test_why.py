"""Explaining rows on a real log: what is listed is what the row is made of, no more and no less."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer

from spark_apps import catalog
from spark_apps.explaining import explain
from spark_apps.session import CATALOG
from tests.log_records import milliseconds
from tests.people import SOMEBODY
from tests.streams import job_of, new_log, own_cold_log, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.provenance import Provenance
    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

NOON = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=4)
TOPICS = ("page_views", "user_changelog", "impressions", "clicks", "ad_clicks")
TABLES = ("order_changelog", "order_item_changelog")
VIEWS = ("page_views_per_minute", "user_sessions", "enriched_page_views", "order_details", "ad_clicks")
Place = tuple[str, int, int]


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


class Writer:
    """Writes a log by hand, and remembers where each of its records is."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.places: dict[str, Place] = {}  # by name
        self._kafka = KafkaProducer(**log.settings.kafka_client("admin"))

    def event(
        self, topic: str, name: str, minute: float, *, received: float | None = None, **fields: Any
    ) -> None:
        """Write what happened at a minute, by a clock that is right; received at once unless said."""
        arrived = at(minute if received is None else received)
        times = {"occurred_at": milliseconds(at(minute)), "sent_at": milliseconds(arrived)}
        self.record(topic, name, fields["user_id"], {"event_id": name, **fields, **times}, arrived)

    def again(self, name: str, of: dict[str, Any], minute: float) -> None:
        self.record("page_views", name, of["user_id"], of, at(minute))

    def change(self, topic: str, name: str, key: str, minute: float, /, **fields: Any) -> None:
        told = fields | {"committed_at": milliseconds(at(minute)), "lsn": int(1000 + minute)}
        self.record(topic, name, key, told, at(minute))

    def record(self, topic: str, name: str, key: str, value: Any, received: datetime) -> None:
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        own = self.log.topics[topic].name
        stamp = milliseconds(received)
        sent = self._kafka.send(own, key=key.encode(), value=raw, timestamp_ms=stamp).get(timeout=30)
        self.places[name] = (own, sent.partition, sent.offset)


def write(log: Log) -> Writer:
    to = Writer(log)
    to.event("page_views", "ada-cart", 0.1, user_id="ada", page="/cart")
    times = {"occurred_at": milliseconds(at(0.2)), "sent_at": milliseconds(at(0.2))}
    bob = {"event_id": "bob-cart", "user_id": "bob", "page": "/cart", **times}
    to.again("bob-cart", bob, 0.2)
    to.again("bob-cart-again", bob, 0.7)
    to.event("page_views", "cem-cart-late", 0.3, received=40, user_id="cem", page="/cart")
    to.event("page_views", "ada-home", 0.5, user_id="ada", page="/home")
    to.record("page_views", "broken", "ada", b'{"page": "/cart", \x1b[2J', at(0.6))
    to.event("page_views", "ada-pays", 4, user_id="ada", page="/pay")
    to.event("page_views", "ada-late", 5, received=30, user_id="ada", page="/late")
    for name, minute, country in (("ada-in-fr", -60, "FR"), ("ada-in-us", -10, "US"), ("ada-in-de", 2, "DE")):
        to.change(
            "user_changelog", name, "ada", minute, user_id="ada", name=SOMEBODY, country=country, plan="free"
        )
    for name, minute, person in (("shown-1", 0, "ada"), ("shown-2", 1, "bob")):
        to.event("impressions", name, minute, user_id=person, impression_id=name, ad_id="ad-7")
    for name, minute in (("clicked", 3), ("clicked-again", 5)):
        to.event("clicks", name, minute, user_id="ada", impression_id="shown-1")
    for status, minute in (("placed", 1), ("paid", 6)):
        order = {"order_id": "o-1", "user_id": "ada", "status": status, "ordered_at": milliseconds(at(1))}
        to.change(
            "order_changelog", f"order-{status}", "o-1", minute, **order, updated_at=milliseconds(at(minute))
        )
    for number in (1, 2):
        item = {"item_id": f"i-{number}", "order_id": "o-1", "product_id": f"p-{number}"}
        to.change(
            "order_item_changelog", f"item-{number}", f"i-{number}", 1, **item, quantity=number, price="2.50"
        )
    return to


def let_time_pass(to: Writer, name: str, minute: float) -> None:
    """Let others do something much later, so that what was before is over."""
    to.event("page_views", f"later-{name}-seen", minute, user_id="zoe", page="/")
    to.event("impressions", f"later-{name}-shown", minute, user_id="zoe", impression_id=name, ad_id="ad-1")
    to.event("clicks", f"later-{name}-clicked", minute, user_id="zoe", impression_id="none")


@pytest.fixture(scope="module")
def written(instance: Settings) -> Iterator[Writer]:
    log = new_log(instance, *TOPICS, *TABLES)
    with own_cold_log(log):
        yield write(log)


@pytest.fixture(scope="module")
def versions(lake: SparkSession, written: Writer) -> dict[str, View]:
    log = written.log
    versions = {name: log.view(catalog.view(name)) for name in (*VIEWS, "click_through_rates")}
    for name, minute in (("one", 120.0), ("two", 180.0)):
        let_time_pass(written, name, minute)
        run(lake, *(job_of(lake, log, versions[view], publish=view == "ad_clicks") for view in VIEWS))
    run(lake, job_of(lake, log, versions["click_through_rates"]))
    return versions


def why(lake: SparkSession, written: Writer, view: View, **key: object) -> Provenance:
    texts = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in key.items()}
    return explain(lake, written.log.settings, view, written.log.by_name(), texts)  # type: ignore[arg-type]


def roles(found: Provenance, written: Writer) -> dict[str, str]:
    """Return the records that are listed, by the names they were written under, with their roles."""
    names = {place: name for name, place in written.places.items()}
    return {names[one.topic, one.partition, one.offset]: one.role for one in found.behind}


def test_count_is_made_of_its_events_late_ones_included_and_repeats_and_broken_ones_are_told(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["page_views_per_minute"], minute_at=NOON, page="/cart")
    assert roles(found, written) == {
        "ada-cart": "used",
        "bob-cart": "used",
        "cem-cart-late": "used",
        "bob-cart-again": "repeated",
        "broken": "quarantined",
    }
    assert (found.proved, found.minimal) == (True, True)
    assert found.served is not None
    assert found.served["views"] == "3"
    because = {one.role: one.because for one in found.behind}
    _, partition, offset = written.places["bob-cart"]
    assert because["repeated"] == f"the same as {partition}:{offset}"
    assert because["quarantined"]
    assert not any("\x1b" in line for line in found.payloads())
    assert any('"event_id": "ada-cart"' in line for line in found.payloads())


def test_session_is_made_of_its_views_without_the_one_that_came_too_late(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["user_sessions"], started_at=at(0.1), user_id="ada")
    used = dict.fromkeys(("ada-cart", "ada-home", "ada-pays"), "used")
    assert roles(found, written) == used | {"ada-late": "late", "broken": "quarantined"}
    assert (found.proved, found.minimal) == (True, True)
    assert "received 1,500 s after it happened" in {one.because for one in found.behind}


def test_join_of_streams_is_made_of_the_impression_and_its_first_click(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["ad_clicks"], shown_at=NOON, impression_id="shown-1")
    assert roles(found, written) == {"shown-1": "used", "clicked": "used"}
    alone = why(lake, written, versions["ad_clicks"], shown_at=at(1), impression_id="shown-2")
    assert roles(alone, written) == {"shown-2": "used"}
    assert found.proved
    assert alone.proved


def test_enriched_event_is_made_of_itself_and_of_the_change_that_held(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["enriched_page_views"], viewed_at=at(0.1), view_id="ada-cart")
    used = {"ada-cart": "used", "ada-in-us": "used"}
    assert roles(found, written) == used | {"broken": "quarantined"}
    assert (found.proved, found.minimal) == (True, True)


def test_row_of_tables_is_made_of_the_newest_changes_that_touch_it(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["order_details"], order_id="o-1")
    newest = ("order-paid", "item-1", "item-2", "ada-in-de")
    assert roles(found, written) == dict.fromkeys(newest, "used")
    assert (found.proved, found.minimal) == (True, True)


def test_row_of_a_view_of_a_view_is_made_of_what_that_has_published(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["click_through_rates"], hour_at=NOON, ad_id="ad-7")
    published = written.log.topics["ad_clicks"].name
    assert Counter((one.topic, one.role) for one in found.behind) == {(published, "used"): 2}
    assert found.proved


def test_row_that_is_still_to_come_is_told_as_it_would_be(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    found = why(lake, written, versions["user_sessions"], started_at=at(180), user_id="zoe")
    assert found.served is None
    assert roles(found, written) == {"later-two-seen": "used"}
    assert any("no such row is served" in sentence for sentence in found.sentences())
    nobody = why(lake, written, versions["user_sessions"], started_at=at(0), user_id="nobody")
    assert (nobody.served, nobody.made, [*nobody.behind]) == (None, None, [])


def test_row_that_the_log_does_not_give_is_not_explained_away(
    lake: SparkSession, written: Writer, versions: dict[str, View]
) -> None:
    view = versions["page_views_per_minute"]
    lake.sql(f"UPDATE {CATALOG}.{view.table} SET views = 99 WHERE page = '/home'")
    found = why(lake, written, view, minute_at=NOON, page="/home")
    assert not found.proved
    assert found.served is not None
    assert found.made is not None
    assert (found.served["views"], found.made["views"]) == ("99", "1")
    assert roles(found, written)["ada-home"] == "candidate"
    assert any("give something else: views=1" in sentence for sentence in found.sentences())
