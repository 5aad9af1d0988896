"""Changelogs: the newest record of a key is its state, none is a farewell, and the past stays known."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.testing import assertDataFrameEqual

from headwater.topics import load_topics
from spark_apps import changelogs
from spark_apps.decode import decode
from tests.dataframes import dataframe
from tests.log_records import at, milliseconds, record, records
from tests.people import SOMEBODY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TOPIC = load_topics()["user_changelog"]
HISTORY = (
    "user_id STRING, name STRING, country STRING, plan STRING, valid_from TIMESTAMP, valid_until TIMESTAMP"
)


def profile(**changes: Any) -> dict[str, Any]:
    return {"user_id": "u1", "name": SOMEBODY, "country": "FR", "plan": "free"} | changes


def change(
    person: str, plan: str | None, minute: float, offset: int = 0, lsn: int | None = None
) -> tuple[object, ...]:
    """Return a change of somebody's plan; none is a farewell."""
    fields = (None, None, None) if plan is None else (SOMEBODY, "FR", plan)
    return (person, *fields, at(minutes=minute), plan is None, lsn, 0, offset)


@pytest.fixture(scope="module")
def decoded(spark: SparkSession) -> DataFrame:
    """Decode a good record, a farewell, and what is neither."""
    rows = [
        record(profile(), offset=0, received=at(minutes=1)),
        record(None, key=b"u2", offset=1, received=at(minutes=2)),
        record(profile(plan=None), offset=2),
        record(b"{", offset=3),
        record(profile(), key=None, offset=4),
        record(None, key=None, offset=5),
        record(b"", offset=6),
        record(profile(user_id="another"), key=b"u3", offset=7, received=at(minutes=3)),
    ]
    return decode(records(spark, rows), TOPIC).persist()


def test_no_value_is_good_in_a_changelog_but_no_key_is_not(decoded: DataFrame) -> None:
    assert {row.offset: row.reason for row in decoded.select("offset", "reason").collect()} == {
        0: None,
        1: None,
        2: "missing field: plan",
        3: "not JSON",
        4: "no key",
        5: "no key",
        6: "empty value",
        7: None,
    }


def test_change_holds_from_when_the_log_received_it_for_the_key_it_is_kept_by(
    spark: SparkSession, decoded: DataFrame
) -> None:
    """The last one says another person than its key: the log compacts by the key, so the key is right."""
    expected = [
        ("u1", SOMEBODY, "FR", "free", at(minutes=1), False, None, 0, 0),
        ("u2", None, None, None, at(minutes=2), True, None, 0, 1),
        ("u3", SOMEBODY, "FR", "free", at(minutes=3), False, None, 0, 7),
    ]
    assertDataFrameEqual(
        changelogs.changes(decoded, TOPIC), dataframe(spark, expected, changelogs.change_schema(TOPIC))
    )


def test_history_says_what_was_true_when(spark: SparkSession) -> None:
    """By time, not by place in the log; of two changes at one moment the first holds for no time."""
    changes = [
        change("back", "pro", 9, offset=1),
        change("back", None, 5, offset=2),
        change("back", "free", 0, offset=3),
        change("at once", "plus", 0, offset=2),
        change("at once", "free", 0, offset=1),
        change("never here", None, 0),
    ]
    heard = dataframe(spark, changes, changelogs.change_schema(TOPIC))
    expected = [
        ("back", SOMEBODY, "FR", "free", at(), at(minutes=5)),
        ("back", SOMEBODY, "FR", "pro", at(minutes=9), None),
        ("at once", SOMEBODY, "FR", "free", at(), at()),
        ("at once", SOMEBODY, "FR", "plus", at(), None),
    ]
    assertDataFrameEqual(changelogs.history(heard, TOPIC), dataframe(spark, expected, HISTORY))


def test_stretch_holds_at_its_first_moment_but_not_at_its_end(spark: SparkSession) -> None:
    stretches = dataframe(
        spark,
        [
            ("before", at(minutes=-1), at(), at(minutes=5)),
            ("first", at(), at(), at(minutes=5)),
            ("last", at(minutes=4.9), at(), at(minutes=5)),
            ("end", at(minutes=5), at(), at(minutes=5)),
            ("still", at(minutes=99), at(), None),
            ("not yet", at(minutes=-1), at(), None),
            ("for no time", at(), at(), at()),
        ],
        "name STRING, time TIMESTAMP, valid_from TIMESTAMP, valid_until TIMESTAMP",
    )
    held = stretches.where(changelogs.held_at("time")).select("name").collect()
    assert {row["name"] for row in held} == {"first", "last", "still"}


def test_captured_change_holds_from_its_commit_and_a_farewell_needs_nothing_but_its_key(
    spark: SparkSession,
) -> None:
    """As Debezium writes them: every column is there, and null where nothing is known any more."""
    place = {"lsn": 7, "committed_at": milliseconds(at(minutes=1))}
    gone = {"name": None, "country": None, "plan": None, "__deleted": "true", "lsn": 8}
    rows = [
        record(profile() | place | {"__deleted": "false"}, offset=0, received=at(minutes=2)),
        record(profile() | place | gone, offset=1, received=at(minutes=2)),
    ]
    expected = [
        ("u1", SOMEBODY, "FR", "free", at(minutes=1), False, 7, 0, 0),
        ("u1", None, None, None, at(minutes=1), True, 8, 0, 1),
    ]
    assertDataFrameEqual(
        changelogs.changes(decode(records(spark, rows), TOPIC), TOPIC),
        dataframe(spark, expected, changelogs.change_schema(TOPIC)),
    )


def test_what_is_told_again_after_a_newer_change_is_no_news(spark: SparkSession) -> None:
    """A capture that restarts may tell 5, 6 once more; where nobody captures, the last one counts."""
    changes = [
        change("told again", "free", 0, offset=1, lsn=5),
        change("told again", "pro", 1, offset=2, lsn=6),
        change("told again", "free", 0, offset=3, lsn=5),
        change("left", "free", 0, offset=4, lsn=7),
        change("left", None, 1, offset=5, lsn=8),
        change("left", None, 1, offset=6),
        change("not captured", "free", 0, offset=7),
        change("not captured", "plus", 1, offset=8),
    ]
    newest = changelogs.newest(dataframe(spark, changes, changelogs.change_schema(TOPIC)), TOPIC)
    found = {row["user_id"]: (row["plan"], row["gone"], row["lsn"]) for row in newest.collect()}
    assert found == {
        "told again": ("pro", False, 6),
        "left": (None, True, 8),
        "not captured": ("plus", False, None),
    }
    present = changelogs.present(newest, TOPIC)
    assert {row["user_id"] for row in present.collect()} == {"told again", "not captured"}


def test_amounts_are_exact_and_what_is_no_amount_is_quarantined(spark: SparkSession) -> None:
    topic = load_topics()["product_changelog"]
    product = {"product_id": "u1", "title": "Tent", "category": "sports", "supplied": 1}
    rows = [
        record(product | {"price": price}, offset=offset)
        for offset, price in enumerate(("0.10", "1e400", "cheap", 0.1))
    ]
    decoded = decode(records(spark, rows), topic)
    assert [row["reason"] for row in decoded.orderBy("offset").collect()] == [
        None,
        "not a number: price",
        "not a number: price",
        "wrong type: price is decimal, not decimal",
    ]
    (price,) = (row["price"] for row in changelogs.changes(decoded, topic).collect())
    assert price == Decimal("0.10")


def test_second_farewell_does_not_end_what_has_come_back(spark: SparkSession) -> None:
    """The capture writes it for compaction, when it gets to it: here after the row was there again."""
    changes = [
        change("back", "free", 0, offset=1, lsn=5),
        change("back", None, 1, offset=2, lsn=6),
        change("back", None, 9, offset=3),
        change("back", "pro", 2, offset=4, lsn=7),
    ]
    heard = dataframe(spark, changes, changelogs.change_schema(TOPIC))
    expected = [
        ("back", SOMEBODY, "FR", "free", at(), at(minutes=1)),
        ("back", SOMEBODY, "FR", "pro", at(minutes=2), None),
    ]
    assertDataFrameEqual(changelogs.history(heard, TOPIC), dataframe(spark, expected, HISTORY))
    assert [row["plan"] for row in changelogs.newest(heard, TOPIC).collect()] == ["pro"]


def test_of_several_partitions_the_latest_change_counts(spark: SparkSession) -> None:
    """As after partitions were added: the key has moved."""
    moved = [
        (*change("moved", "free", 5, offset=9)[:-2], 2, 9),
        (*change("moved", "pro", 6, offset=1)[:-2], 0, 1),
        (*change("moved", "plus", 7, offset=2)[:-2], 0, 2),
    ]
    newest = changelogs.newest(dataframe(spark, moved, changelogs.change_schema(TOPIC)), TOPIC)
    assert [row["plan"] for row in newest.collect()] == ["plus"]


def test_row_that_is_gone_still_says_of_which_unit_it_was(spark: SparkSession) -> None:
    """Its farewell knows nothing but the key, and may have empty texts for the rest."""
    changes = [
        change("left", "free", 0, offset=1, lsn=5),
        change("left", "pro", 1, offset=2, lsn=6),
        ("left", "", "", "", at(minutes=2), True, 7, 0, 3),
        change("left", None, 2, offset=4),
        change("back", None, 1, offset=5, lsn=8),
        change("back", "plus", 2, offset=6, lsn=9),
        change("never here", None, 0, offset=7, lsn=10),
    ]
    heard = dataframe(spark, changes, changelogs.change_schema(TOPIC))
    newest = changelogs.newest(heard, TOPIC, unit="plan").collect()
    found = {row["user_id"]: (row["plan"], row["gone"], row["lsn"]) for row in newest}
    assert found == {
        "left": ("pro", True, 7),
        "back": ("plus", False, 9),
        "never here": (None, True, 10),
    }
