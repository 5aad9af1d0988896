"""The plan as a person reads it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from headwater.airflow_api import LONGEST_NOTE
from headwater.cold_log import Archived
from headwater.errors import Refusal
from headwater.replay.form import LONG, Form, choose
from headwater.replay.planning import Plan
from headwater.replay.starting import Stretch

PLAN = Plan(
    view="orders",
    live="v1",
    candidate="v2",
    artifact="0a1b2c3d4e5f6071",
    start="earliest",
    stretches=(
        Stretch(topic="orders", partition=0, asked=100, beginning=100, end=1_500_100),
        Stretch(topic="orders", partition=1, asked=0, beginning=40, end=1_500_000),
    ),
    seam_at=None,
    form=Form(name="in one batch", because="it is right for every view"),
    size=210_000_000,
    rate=50_000.0,
    measured=True,
    publishes="orders_out",
    dependants=("refunds",),
    refusals=(),
)

TOLD = """\
## Replay of `orders`: v1 → v2

**May run.** Builds v2 beside v1; readers see v1 until v2 is proved and promoted, then v2 in one step; \
v1 stays warm.

Its output topic `orders_out`, which `refunds` reads, hears nothing of v2 before its promotion.

Reads **3,000,000 events** (210 MB) from earliest, with artifact `0a1b2c3d4e5f6071`: about **60 s** at \
50,000 events/s (measured in the latest replays), and half a minute to start.

Rebuilds **in one batch** (its stream reads everything, all that there is now at once): it is right for \
every view.

| topic | partition | Kafka holds from | asked from | up to | events | from the cold log |
|---|---:|---:|---:|---:|---:|---:|
| orders | 0 | 100 | 100 | 1,500,100 | 1,500,000 | 0 |
| orders | 1 | 40 | 0 | 1,500,000 | 1,500,000 | 40 |"""


def test_plan_in_words_and_tables() -> None:
    assert PLAN.markdown() == TOLD


def test_summary_has_a_line_for_each_topic_and_says_where_the_partitions_are() -> None:
    words, table = TOLD.rsplit("\n\n", 1)
    clicks = Stretch(topic="clicks", partition=0, asked=5, beginning=0, end=15)
    told = replace(PLAN, stretches=(*PLAN.stretches, clicks)).summary().replace("3,000,010", "3,000,000")
    assert told.startswith(words)
    assert table not in told
    assert told.endswith(
        "| orders | 2 | 3,000,000 | 40 |\n| clicks | 1 | 10 | 0 |\n\n"
        "*Each partition with its offsets: in the log of the task.*"
    )


def test_summary_of_many_topics_fits_on_a_page_of_airflow_whole() -> None:
    many = [
        Stretch(topic=f"some_changelog_{topic}", partition=number, asked=0, beginning=0, end=1_500_000)
        for topic in range(4)
        for number in range(12)
    ]
    plan = replace(PLAN, view="some_long_name_of_a_view", stretches=tuple(many), seam_at=None)
    assert len(plan.markdown()) > LONGEST_NOTE
    assert len(plan.summary()) <= LONGEST_NOTE


def test_plan_says_what_readers_of_its_topic_hear() -> None:
    silent = replace(PLAN, publishes=None, dependants=())
    assert "No other view reads it, and it has no output topic." in silent.markdown()
    alone = replace(PLAN, dependants=())
    assert "Its output topic `orders_out` hears nothing of v2 before its promotion." in alone.markdown()


def test_plan_says_where_kafka_takes_over_from_the_cold_log() -> None:
    assert PLAN.starting_offsets == {"orders": {"0": 100, "1": 0}}
    assert PLAN.stitches == {"orders": {"0": 100, "1": 40}}
    warm = replace(PLAN, stretches=(replace(PLAN.stretches[1], beginning=0),))
    assert warm.stitches == {}


def test_plan_that_may_not_run_says_why_first() -> None:
    refused = replace(PLAN, refusals=("Offsets 0 to 99 of partition 0 of orders have expired.",))
    assert "**Refused.** Offsets 0 to 99 of partition 0 of orders have expired." in refused.markdown()
    with pytest.raises(Refusal, match='view "orders" cannot be replayed like this') as said:
        refused.refuse()
    assert "expired" in said.value.detail


def test_plan_from_a_time_warns_that_older_windows_will_be_missing() -> None:
    later = replace(PLAN, start="2026-11-16T08:00:00Z", seam_at=datetime(2026, 11, 16, 8, tzinfo=UTC))
    assert "will hold windows from **2026-11-16 08:00:00 UTC** on, and **nothing before**" in later.markdown()


def test_plan_of_a_log_that_has_expired_says_what_is_lost() -> None:
    expired = replace(PLAN, seam_at=datetime(2026, 11, 16, 8, tzinfo=UTC))
    assert "nothing before**: the log no longer holds all events of older ones" in expired.markdown()


def test_plan_without_a_measured_rate_says_that_it_is_assumed() -> None:
    assert "assumed: none has been measured yet" in replace(PLAN, measured=False).markdown()


CUT = {"inputs": ["orders"], "uncut": ""}
UNCUT = {"inputs": ["orders"], "uncut": "rows of tables belong to no time"}
FEW = Stretch(topic="orders", partition=0, asked=0, beginning=0, end=LONG)
MANY = replace(FEW, end=LONG + 1)
COLD = replace(FEW, beginning=40)


@pytest.mark.parametrize(
    ("declared", "stretch", "told"),
    [
        (
            CUT,
            FEW,
            "**in one batch** (its stream reads everything, all that there is now at once): it is right",
        ),
        (
            CUT,
            MANY,
            "**at a seam** (the batch engine writes what is over, the stream goes on from there): there",
        ),
        (CUT, COLD, "): only the cold log holds 40 of the events."),
        (
            UNCUT,
            FEW,
            "**in one batch** (its stream reads everything, all that there is now at once): rows of t",
        ),
        (
            UNCUT,
            COLD,
            "): rows of tables belong to no time, although only the cold log holds 40 of the events.",
        ),
        (
            {"inputs": ["orders"]},
            MANY,
            "): its code is older than rebuilds at a seam, although there are more",
        ),
        (CUT, replace(MANY, topic="people"), "**in one batch**"),  # a table is read as a whole either way
    ],
)
def test_plan_says_which_form_and_why(declared: dict[str, Any], stretch: Stretch, told: str) -> None:
    assert told in replace(PLAN, form=choose(declared, [stretch])).markdown()


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        (99, ""),
        (50, "Offsets 50 to 79 of partition 3 of orders have expired, and the cold log does not hold them."),
        (100, ""),
        (500, ""),
        (501, "Partition 3 of orders ends at offset 500; 501 does not exist yet."),
    ],
)
def test_stretch_is_refused_by_partition_and_offset(asked: int, refusal: str) -> None:
    archived = Archived(ranges=((0, 40), (80, 120)), records=80)
    stretch = Stretch(topic="orders", partition=3, asked=asked, beginning=100, end=500, archived=archived)
    assert stretch.refusal == refusal
