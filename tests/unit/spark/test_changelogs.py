"""Changelogs: the newest record of a key is its state, none is a farewell, and the past stays known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.testing import assertDataFrameEqual

from headwater.topics import load_topics
from spark_apps import changelogs
from spark_apps.decode import decode
from tests.dataframes import dataframe
from tests.log_records import at, record, records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TOPIC = load_topics()["user_changelog"]
HISTORY = (
    "user_id STRING, name STRING, country STRING, plan STRING, valid_from TIMESTAMP, valid_until TIMESTAMP"
)


def profile(**changes: Any) -> dict[str, Any]:
    return {"user_id": "u1", "name": "Ada", "country": "FR", "plan": "free"} | changes


def change(person: str, plan: str | None, minute: float, offset: int = 0) -> tuple[object, ...]:
    """Return a change of somebody's plan; none is a farewell."""
    fields = (None, None, None) if plan is None else ("Ada", "FR", plan)
    return (person, *fields, at(minutes=minute), plan is None, 0, offset)


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
        ("u1", "Ada", "FR", "free", at(minutes=1), False, 0, 0),
        ("u2", None, None, None, at(minutes=2), True, 0, 1),
        ("u3", "Ada", "FR", "free", at(minutes=3), False, 0, 7),
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
        ("back", "Ada", "FR", "free", at(), at(minutes=5)),
        ("back", "Ada", "FR", "pro", at(minutes=9), None),
        ("at once", "Ada", "FR", "free", at(), at()),
        ("at once", "Ada", "FR", "plus", at(), None),
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
