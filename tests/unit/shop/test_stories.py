"""What happens in the shop hangs together: told by the records alone, and compared with what they claim."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from headwater.carts.cart import NEW, evolve
from headwater.carts.deciding import decide
from headwater.carts.messages import Command, Event, Rejection
from headwater.shop import Record, Simulation, records
from headwater.shop.streams import cart_commands, clicks, logins, purchases, result_clicks

if TYPE_CHECKING:
    from collections.abc import Iterable

SECOND, MINUTE = 1000, 60_000
START = datetime(2025, 3, 3, 12, tzinfo=UTC)
PAIRS = pytest.mark.parametrize(
    ("asked", "answered", "name", "shares"),
    [
        ("impressions", "clicks", "impression_id", clicks),
        ("searches", "result_clicks", "search_id", result_clicks),
    ],
    ids=["clicks", "result_clicks"],
)


@pytest.fixture(scope="module")
def day() -> list[Record]:
    return list(records(Simulation(seed=5, rate=10, start=START, count=80_000)))


@pytest.fixture(scope="module")
def rough_hours() -> list[Record]:
    flaws = {"out_of_order": 0.1, "late": 0.1, "wrong_clock": 0.05, "malformed": 0.02, "repeated": 0.02}
    rough = Simulation(
        streams=("impressions", "clicks", "searches", "result_clicks"),
        seed=6,
        rate=3,
        start=START,
        count=25_000,
        latest=timedelta(hours=1),
        **flaws,  # type: ignore[arg-type]
    )
    return [record for record in records(rough) if record.kind not in {"malformed", "repeated"}]


def of(topic: str, among: Iterable[Record]) -> list[Record]:
    return [record for record in among if record.topic == topic]


def read(record: Record) -> dict[str, Any]:
    assert record.value is not None
    fields: dict[str, Any] = json.loads(record.value)
    return fields


def by_key(topic: str, among: Iterable[Record]) -> dict[bytes, list[Record]]:
    """Return the records of a topic for each key, in the order in which they happened."""
    grouped: dict[bytes, list[Record]] = defaultdict(list)
    for record in sorted(of(topic, among), key=lambda record: record.happened_at):
        grouped[record.key].append(record)
    return grouped


def test_people_come_in_visits_and_are_then_gone_for_more_than_ten_minutes() -> None:
    views = Simulation(streams=("page_views",), rate=2, start=START, count=30_000)
    gaps = [
        later.happened_at - earlier.happened_at
        for looks in by_key("page_views", records(views)).values()
        for earlier, later in pairwise(looks)
    ]
    within, between = [gap for gap in gaps if gap < 5 * MINUTE], [gap for gap in gaps if gap > 10 * MINUTE]
    assert len(within) + len(between) == len(gaps)
    assert 3 * SECOND <= min(within) < 30 * SECOND < max(within)
    assert 2 < len(within) / len(between) < 6


def test_within_a_visit_one_page_leads_to_the_next() -> None:
    views = Simulation(streams=("page_views",), rate=1, start=START, count=5000)
    for looks in by_key("page_views", records(views)).values():
        for earlier, later in pairwise(looks):
            follows = later.happened_at - earlier.happened_at < 5 * MINUTE
            assert read(later).get("referrer") == (read(earlier)["page"] if follows else None)


@PAIRS
def test_clicks_refer_to_what_was_shown_except_for_strays(
    day: list[Record], asked: str, answered: str, name: str, shares: Any
) -> None:
    shown = {read(record)[name]: record for record in of(asked, day)}
    clicked: set[str] = set()
    for click in of(answered, day):
        told = read(click)[name]
        assert (told in shown) == (click.story != "stray")
        assert (told in clicked) == (click.story == "again")
        if told in shown:
            clicked.add(told)
            assert click.key == shown[told].key
            assert_in_time(click, shown[told])


def assert_in_time(click: Record, shown: Record) -> None:
    passed = click.happened_at - shown.happened_at
    assert passed > 10 * MINUTE if click.story == "too_late" else 0 < passed < 10 * MINUTE


@PAIRS
def test_clicks_that_are_held_back_are_late_and_yet_in_time(
    rough_hours: list[Record], asked: str, answered: str, name: str, shares: Any
) -> None:
    shown = {read(record)[name]: record for record in of(asked, rough_hours)}
    held_back: Counter[str] = Counter()
    for click in of(answered, rough_hours):
        if (told := read(click)[name]) in shown:
            assert_in_time(click, shown[told])
            held_back[click.kind] += click.story == "in_time"
    assert held_back["late"] > 10
    assert held_back["out_of_order"] > 50


@PAIRS
def test_clicks_are_as_many_as_declared(
    day: list[Record], asked: str, answered: str, name: str, shares: Any
) -> None:
    found = getattr(shares, "FOUND", 1.0)
    asked_for = len(of(asked, day))
    stories = Counter(record.story for record in of(answered, day))
    for story, declared in {
        "in_time": shares.IN_TIME,
        "too_late": shares.TOO_LATE,
        "again": shares.AGAIN,
    }.items():
        # What was asked for at the end of the day is not yet answered.
        assert stories[story] / asked_for == pytest.approx(found * declared, rel=0.2)
    assert 0.02 < stories["stray"] / stories.total() < 0.1


def test_results_are_clicked_on_only_where_there_are_any(day: list[Record]) -> None:
    results = {read(record)["search_id"]: read(record)["results"] for record in of("searches", day)}
    assert 0 in results.values()
    followed = [read(record) for record in of("result_clicks", day) if record.story != "stray"]
    assert all(1 <= click["position"] <= results[click["search_id"]] for click in followed)
    assert Counter(click["position"] for click in followed).most_common(1)[0][0] == 1


def test_three_failures_in_five_minutes_are_a_burst_and_nothing_else_is(day: list[Record]) -> None:
    stories: Counter[str] = Counter()
    for attempts in by_key("logins", day).values():
        for failures in close_together([record for record in attempts if not read(record)["succeeded"]]):
            if day[-1].happened_at - failures[0].happened_at < 5 * MINUTE:
                continue  # it is not over yet
            (story,) = {record.story for record in failures}
            stories[story] += 1
            assert len(failures) in ((3, 4, 5, 6) if story == "burst" else (1,))
            assert failures[-1].happened_at - failures[0].happened_at < 5 * MINUTE
    stories["login"] = sum(record.story == "login" for record in of("logins", day))
    assert stories["burst"] / stories.total() == pytest.approx(logins.BURST, rel=0.2)
    assert stories["slip"] / stories.total() == pytest.approx(logins.SLIP, rel=0.2)
    meanwhile = [
        record for record in of("logins", day) if record.story == "burst" and read(record)["succeeded"]
    ]
    assert len(meanwhile) / stories["burst"] == pytest.approx(logins.OWNER_MEANWHILE, rel=0.3)


def close_together(ordered: list[Record]) -> list[list[Record]]:
    """Return records in groups with less than five minutes from each to the next."""
    groups: list[list[Record]] = []
    for record in ordered:
        if groups and record.happened_at - groups[-1][-1].happened_at < 5 * MINUTE:
            groups[-1].append(record)
        else:
            groups.append([record])
    return groups


def test_most_logins_succeed(day: list[Record]) -> None:
    attempts = of("logins", day)
    assert 0.6 < sum(read(record)["succeeded"] for record in attempts) / len(attempts) < 0.9


def test_fraud_is_a_purchase_from_another_country_within_five_minutes_after_a_login(
    day: list[Record],
) -> None:
    seen = of("purchases", day)
    frauds = fraudulent(day)
    claimed = {record.event_id for record in seen if record.story == "fraud"}
    assert claimed <= frauds
    # Someone may move between a login and a purchase that has nothing to do with it.
    assert len(frauds - claimed) <= 0.02 * len(frauds)
    succeeded = sum(
        record.story in {"login", "slip"} and read(record)["succeeded"] for record in of("logins", day)
    )
    assert len(claimed) / succeeded == pytest.approx(purchases.FRAUD, rel=0.3)
    assert sum(record.story == "travel" for record in seen) > 50
    assert sum(record.story == "same_country" for record in seen) > 0.4 * len(seen)


def fraudulent(run: list[Record]) -> set[str]:
    """Return the ids of purchases from elsewhere than a login in the five minutes before."""
    logins_of = by_key("logins", run)
    return {
        purchase.event_id
        for purchase in of("purchases", run)
        for login in logins_of[purchase.key]
        if 0 <= purchase.happened_at - login.happened_at <= 5 * MINUTE
        and read(login)["succeeded"]
        and read(login)["country"] != read(purchase)["country"]
    }


def test_endpoints_differ_and_one_is_the_worst(day: list[Record]) -> None:
    durations: dict[str, list[float]] = defaultdict(list)
    for record in of("requests", day):
        durations[read(record)["endpoint"]].append(read(record)["duration"])
    medians = {endpoint: sorted(took)[len(took) // 2] for endpoint, took in durations.items()}
    worst, second = sorted(medians, key=lambda endpoint: -medians[endpoint])[:2]
    assert worst == "/api/checkout"
    assert medians[worst] > 3 * medians[second] > 3 * min(medians.values()) > 0
    for endpoint, took in durations.items():
        assert max(took) > 3 * medians[endpoint]  # a long tail
    assert {read(record)["status"] for record in of("requests", day)} == {200, 404, 500}


def test_stored_queries_are_added_changed_and_deleted(day: list[Record]) -> None:
    kept: set[bytes] = set()
    combinations: Counter[frozenset[str]] = Counter()
    for record in of("stored_queries", day):
        assert (record.key in kept) == (record.story != "added")
        if record.value is None:
            assert record.story == "deleted"
            kept.remove(record.key)
        else:
            kept.add(record.key)
            combinations[frozenset(read(record).keys() & {"words", "category", "price_at_most"})] += 1
    assert len(combinations) == 7
    assert frozenset() not in combinations
    assert {record.story for record in of("stored_queries", day)} == {"added", "changed", "deleted"}


def test_stored_queries_find_listings(day: list[Record]) -> None:
    queries = {record.key: read(record) for record in of("stored_queries", day) if record.value}
    found = Counter(
        bool(set(query.get("words", "").split()) <= set(listing["title"].split()))
        and query.get("category", listing["category"]) == listing["category"]
        and query.get("price_at_most", listing["price"]) >= listing["price"]
        for listing in (read(record) for record in of("listings", day)[:300])
        for query in queries.values()
    )
    assert 0.01 < found[True] / found.total() < 0.5


def test_everyone_registers_first_and_may_then_move_change_plan_leave_and_return(day: list[Record]) -> None:
    changes = of("user_changelog", day)
    registered = [record for record in changes if record.story == "registered"]
    assert len({record.key for record in registered}) == len(registered) == 1000
    profiles: dict[bytes, dict[str, Any]] = {}
    for record in changes:
        assert (record.key in profiles) == (record.story not in {"registered", "returned"})
        if record.value is None:
            assert record.story == "left"
            del profiles[record.key]
            continue
        before = profiles.get(record.key, {})
        differing = {name for name, value in read(record).items() if value != before.get(name)}
        if record.story in {"moved", "changed_plan"}:
            assert differing == {"country" if record.story == "moved" else "plan"}
        profiles[record.key] = read(record)
    assert {record.story for record in changes} == {"registered", "moved", "changed_plan", "left", "returned"}


def decided(commands: list[Record]) -> list[tuple[Record, Event | Rejection]]:
    """Return what becomes of the commands to one cart."""
    cart, outcomes = NEW, []
    for record in commands:
        outcome = decide(cart, Command.model_validate_json(record.value or b""), record.received_at)
        cart = evolve(cart, outcome) if isinstance(outcome, Event) else cart
        outcomes.append((record, outcome))
    return outcomes


@pytest.fixture(scope="module")
def carts(day: list[Record]) -> list[list[tuple[Record, Event | Rejection]]]:
    return [decided(commands) for commands in by_key("cart_commands", day).values()]


def test_sensible_commands_are_followed_and_nonsense_is_rejected_for_every_reason(
    carts: list[list[tuple[Record, Event | Rejection]]],
) -> None:
    reasons: Counter[str] = Counter()
    for record, outcome in (each for cart in carts for each in cart):
        if record.story == "nonsense":
            assert isinstance(outcome, Rejection)
            reasons[outcome.reason.partition(",")[0].rstrip("0123456789 ")] += 1
        elif record.story != "race":
            assert isinstance(outcome, Event)
    assert reasons.keys() == {
        "the quantity is less than",
        "the product is not in the cart",
        "expected version",
        "the cart is empty",
        "the cart is checked out",
    }


def test_of_two_that_race_for_a_version_one_wins(carts: list[list[tuple[Record, Event | Rejection]]]) -> None:
    races = 0
    for cart in carts:
        racing: dict[int, list[Event | Rejection]] = defaultdict(list)
        for record, outcome in cart:
            if record.story == "race":
                racing[read(record)["expected_version"]].append(outcome)
        for outcomes in racing.values():
            assert [type(outcome) for outcome in outcomes] == [Event, Rejection]
            races += 1
    assert races > 20


def test_carts_are_bought_left_and_returned_to_as_often_as_declared(
    day: list[Record], carts: list[list[tuple[Record, Event | Rejection]]]
) -> None:
    stories: Counter[str] = Counter()
    for cart in carts:
        events = [outcome for _, outcome in cart if isinstance(outcome, Event)]
        if not events or day[-1].happened_at - events[0].occurred_at < 70 * MINUTE:
            continue  # nonsense, or perhaps not over yet
        story = cart[0][0].story
        stories[story] += 1
        pauses = [later.occurred_at - earlier.occurred_at for earlier, later in pairwise(events)]
        assert (events[-1].kind == "CheckedOut") == (story != "left")
        assert (max(pauses, default=0) > 30 * MINUTE) == (story == "returned")
    assert stories["returned"] / stories.total() == pytest.approx(cart_commands.RETURNED, rel=0.3)
    assert stories["left"] / stories.total() == pytest.approx(cart_commands.LEFT, rel=0.2)
    assert stories.keys() == {"bought", "left", "returned"}
    kinds = Counter(outcome.kind for cart in carts for _, outcome in cart if isinstance(outcome, Event))
    assert min(kinds.values()) > 50
    assert len(kinds) == 4
