"""Home timelines on real parts: every kind of change, each in front of a reader of its own.

All of them in two batches: what was there before, and then one change for each reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from spark_apps import catalog
from spark_apps.views.home_timelines import MOST
from tests.captures import Captured, captured_shop
from tests.people import SOMEBODY
from tests.streams import Log, assert_up_to_date, job_of, new_log, rows_of, run
from tests.table_queries import asked, held

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

    Timeline = dict[int, str]  # the words of each post, by its number
    Timelines = dict[str, Timeline]  # by who reads

VIEW = "home_timelines"
SAID = f"{SOMEBODY}said"  # nothing that is not sealed is let in


def said(first: int, last: int) -> Timeline:
    return {number: f"{SAID}{number}" for number in range(first, last + 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Somebody who has written posts, one a minute; somebody who reads them; and what happens."""

    posts: int
    followed: bool = True
    change: str
    before: Timeline
    after: Timeline


POSTS = f"""
    INSERT INTO posts
    SELECT %(author)s || '-' || n, %(author)s, '{SAID}' || n,
           timestamp '2026-01-05' + n * interval '1 minute', NULL
    FROM generate_series(1, %(posts)s) AS n
"""
FOLLOW = "INSERT INTO follows VALUES (%(reader)s, %(reader)s, %(author)s)"
POST = f"INSERT INTO posts VALUES (%(author)s || '-{{0}}', %(author)s, '{SAID}{{0}}', '2026-01-06', NULL)"
CASES = {
    "new post": Case(posts=1, change=POST.format(2), before=said(1, 1), after=said(1, 2)),
    "edited": Case(
        posts=2,
        change=f"UPDATE posts SET body = '{SOMEBODY}', edited_at = posted_at "
        "WHERE post_id = %(author)s || '-1'",
        before=said(1, 2),
        after={1: SOMEBODY, 2: f"{SAID}2"},
    ),
    "deleted": Case(
        posts=2,
        change="DELETE FROM posts WHERE post_id = %(author)s || '-2'",
        before=said(1, 2),
        after=said(1, 1),
    ),
    "followed": Case(
        posts=2,
        followed=False,
        change=FOLLOW,
        before={},
        after=said(1, 2),
    ),
    "unfollowed": Case(
        posts=2, change="DELETE FROM follows WHERE follow_id = %(reader)s", before=said(1, 2), after={}
    ),
    "one more than the hundred": Case(
        posts=MOST, change=POST.format(MOST + 1), before=said(1, MOST), after=said(2, MOST + 1)
    ),
    "one less, and an older one is there": Case(
        posts=MOST + 1,
        change=f"DELETE FROM posts WHERE post_id = %(author)s || '-{MOST + 1}'",
        before=said(2, MOST + 1),
        after=said(1, MOST),
    ),
}


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, "post_changelog", "follow_changelog")


@pytest.fixture(scope="module")
def shop(instance: Settings, log: Log) -> Iterator[Captured]:
    topics = {topic.table: topic for topic in log.topics.values()}
    with captured_shop(instance, f"shop{log.suffix}", topics) as captured:
        yield captured


@pytest.fixture(scope="module")
def view(log: Log) -> View:
    return log.view(catalog.view(VIEW))


@pytest.fixture(scope="module")
def timelines(lake: SparkSession, log: Log, shop: Captured, view: View) -> tuple[Timelines, Timelines]:
    """Return what each reader saw before the change, and after it."""
    with shop.connect() as database:
        for name, case in CASES.items():
            database.execute(POSTS, {**people(name), "posts": case.posts})
            if case.followed:
                database.execute(FOLLOW, people(name))
    before = seen(lake, log, shop, view)
    with shop.connect() as database:
        for name, case in CASES.items():
            database.execute(case.change.encode(), people(name))
    return before, seen(lake, log, shop, view)


def people(case: str) -> dict[str, str]:
    return {"reader": f"reader of {case}", "author": f"author of {case}"}


def seen(lake: SparkSession, log: Log, shop: Captured, view: View) -> Timelines:
    shop.wait()
    run(lake, job_of(lake, log, view))
    found: Timelines = {people(case)["reader"]: {} for case in CASES}
    for row in rows_of(lake, view).collect():
        found[row["follower_id"]][int(row["post_id"].rpartition("-")[2])] = row["body"]
    return found


@pytest.mark.parametrize("name", CASES)
def test_timeline_shows(timelines: tuple[Timelines, Timelines], name: str) -> None:
    reader, case = people(name)["reader"], CASES[name]
    before, after = (found[reader] for found in timelines)
    assert (before, after) == (case.before, case.after)


def test_all_timelines_are_the_query_over_the_database_and_what_the_batch_engine_makes(
    lake: SparkSession, log: Log, shop: Captured, view: View, timelines: tuple[Timelines, Timelines]
) -> None:
    assert held(lake, view, VIEW) == asked(shop, VIEW)
    assert_up_to_date(lake, log, view)
