"""What maintenance does about a table, case by case: what is seen → what is done."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from headwater.maintenance import Partition, Policy, Snapshot, Table, plan
from headwater.maintenance.planning import Expire, Rewrite, RewriteManifests, Step, Sweep

NOW = datetime(2026, 1, 20, 12, tzinfo=UTC)
DAY = timedelta(days=1)
POLICY = Policy()
NEWEST = date(2026, 1, 10)  # of its rows; its query is ten days behind the clock
PLACE = "/lake/versions/orders__v1"
ELSEWHERE = ("/checkpoints", "/lake/versions/orders__v10")


def table(*partitions: Partition, **seen: object) -> Table:
    given = {"name": "versions.orders__v1", "location": PLACE, "time": "ordered_at"} | seen
    return Table(partitions=partitions, **given)  # type: ignore[arg-type]


def day(before_newest: int, files: int, **seen: int) -> Partition:
    return Partition(day=NEWEST - before_newest * DAY, files=files, **seen)


def commits(*ages: timedelta, batch: bool = True) -> tuple[Snapshot, ...]:
    return tuple(Snapshot(committed_at=NOW - age, batch=batch) for age in ages)


def planned(seen: Table, kind: type[Step], others: tuple[str, ...] = ELSEWHERE) -> list[Step]:
    return [step for step in plan(seen, NOW, POLICY, others) if isinstance(step, kind)]


def test_small_files_of_closed_days_are_rewritten_and_those_of_open_days_are_not() -> None:
    seen = table(day(0, 900), day(1, 900), day(2, 900), day(3, 40, rows=400), day(4, 1), day(5, 6, rows=7))
    assert planned(seen, Rewrite) == [
        Rewrite(
            subject="versions.orders__v1",
            why="46 small files in 2 partitions of closed days",
            time="ordered_at",
            before=NEWEST - 2 * DAY,
            rows=407,
        )
    ]


@pytest.mark.parametrize(
    "partitions",
    [(), (day(0, 900),), (day(0, 900), day(1, 900), day(2, 900)), (day(0, 1), day(9, POLICY.few))],
    ids=["no rows", "one day", "open days", "few files"],
)
def test_nothing_is_rewritten_where_nothing_is_to_be_gained(partitions: tuple[Partition, ...]) -> None:
    assert planned(table(*partitions), Rewrite) == []


def test_rows_marked_as_gone_are_a_reason_too() -> None:
    assert planned(table(day(0, 1), day(7, 1, marks=POLICY.few + 1)), Rewrite)


def test_table_without_days_is_rewritten_as_a_whole_but_seldom() -> None:
    few, many = Partition(files=POLICY.many), Partition(files=POLICY.many + 1)
    assert planned(table(few, few, time=None), Rewrite) == []
    (step,) = planned(table(few, many, time=None), Rewrite)
    assert isinstance(step, Rewrite)
    assert (step.time, step.before) == (None, None)


def test_lists_of_files_are_rewritten_when_there_are_many() -> None:
    assert planned(table(manifests=POLICY.manifests), RewriteManifests) == []
    assert planned(table(manifests=POLICY.manifests + 1), RewriteManifests)


def test_snapshots_older_than_the_longest_outage_are_expired() -> None:
    (step,) = planned(table(snapshots=commits(9 * DAY, 5 * DAY, 2 * DAY, 0 * DAY)), Expire)
    assert isinstance(step, Expire)
    assert (step.before, step.why) == (NOW - POLICY.history, "2 of 4 snapshots")


def test_newest_batch_is_kept_however_old_it_is_and_whatever_came_after_it() -> None:
    batches, rewrites = commits(30 * DAY, 20 * DAY), commits(10 * DAY, 9 * DAY, batch=False)
    (step,) = planned(table(snapshots=(*batches, *rewrites)), Expire)
    assert isinstance(step, Expire)
    assert (step.before, step.why) == (NOW - 20 * DAY, "1 of 4 snapshots")


@pytest.mark.parametrize("ages", [(), (9 * DAY,), (2 * DAY, DAY)], ids=["none", "the only one", "young ones"])
def test_no_snapshot_is_expired_that_is_needed(ages: tuple[timedelta, ...]) -> None:
    assert planned(table(snapshots=commits(*ages)), Expire) == []
    assert planned(table(snapshots=commits(*ages, batch=False)), Expire) == []


def test_strays_are_swept_when_they_are_older_than_any_commit_under_way() -> None:
    (step,) = planned(table(), Sweep)
    assert isinstance(step, Sweep)
    assert NOW - step.before >= 3 * DAY


@pytest.mark.parametrize(
    "other",
    [
        PLACE,
        f"file:{PLACE}",
        f"file://{PLACE}",
        f"{PLACE}/",
        f"{PLACE}/checkpoints",
        "/lake",
        "file:/lake/versions",
    ],
)
def test_place_that_is_shared_is_never_swept(other: str) -> None:
    assert planned(table(), Sweep, ("/checkpoints", other)) == []


def test_place_in_another_bucket_is_another_place() -> None:
    assert planned(table(location=f"s3://lake{PLACE}"), Sweep, (f"s3://checkpoints{PLACE}",))
    assert planned(table(location=f"s3://lake{PLACE}"), Sweep, (f"s3a://lake{PLACE}",)) == []
