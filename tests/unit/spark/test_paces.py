"""How often queries look for news: seldom enough for two cores, often enough for what each view promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from spark_apps import catalog
from spark_apps.jobs import UNHURRIED
from spark_apps.query import between_looks

if TYPE_CHECKING:
    from spark_apps.view import View

VIEWS = catalog.views()
MINUTE = timedelta(minutes=1)
# On two cores 36 were too many, and nobody kept pace. A view more that wants to look often costs others.
MOST_LOOKS_A_MINUTE = 24
YEARS = timedelta(days=20_000)  # since 1970


def test_all_queries_together_look_no_more_often_than_two_cores_can_bear() -> None:
    late = [UNHURRIED for view in VIEWS.values() if view.late == "separate" for _topic in view.inputs]
    paces = [*(view.trigger for view in VIEWS.values()), *late, UNHURRIED]  # and the archive
    assert sum(MINUTE / pace for pace in paces) <= MOST_LOOKS_A_MINUTE


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_view_has_time_for_a_batch_before_its_rows_are_older_than_promised(view: View) -> None:
    assert view.freshness >= 1.5 * view.trigger


def test_view_that_promises_what_it_cannot_keep_is_refused() -> None:
    with pytest.raises(Refusal, match="looks for news too seldom for its freshness"):
        replace(VIEWS["carts"], freshness=MINUTE, trigger=MINUTE)


def test_queries_with_one_pace_do_not_begin_at_one_moment() -> None:
    """Spark begins a batch at whole multiples of a pause since 1970."""
    pause = 2 * MINUTE
    begins = [YEARS % between_looks(view.query, pause) for view in VIEWS.values()]
    tenths = {int(begin / pause * 10) for begin in begins}
    assert len(tenths) > 7


def test_pause_is_hardly_longer_than_declared_and_always_the_same() -> None:
    for view in VIEWS.values():
        pause = between_looks(view.query, view.trigger)
        assert view.trigger <= pause <= 1.02 * view.trigger
        assert pause == between_looks(view.query, view.trigger)
    assert between_looks("carts.v1", timedelta(0)) == timedelta(0)
