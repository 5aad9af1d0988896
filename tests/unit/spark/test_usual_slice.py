"""What is verified unless somebody asks for something else, and where its records are cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headwater.errors import Refusal
from headwater.replay.between import Between
from spark_apps import catalog
from spark_apps.verifying import PIECES, cuts, usual

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize("name", ["page_views_per_minute", "user_sessions"])
def test_the_last_hour_is_verified_that_no_punctual_event_can_change(name: str) -> None:
    """Also of a view whose watermark is a day behind, because it corrects its rows."""
    view = catalog.view(name)
    watermark = NOON - view.remembers  # after an event of noon
    until = NOON - view.lateness - view.disorder
    assert usual(view, watermark) == Between(first=until - HOUR, after=until)


def test_version_that_began_later_is_verified_from_there_on() -> None:
    view = catalog.view("user_sessions")
    begins = NOON - timedelta(minutes=10)
    assert usual(view, NOON, begins).first == begins


def test_view_that_has_just_begun_has_nothing_to_verify() -> None:
    with pytest.raises(Refusal, match="no closed window yet"):
        usual(catalog.view("user_sessions"), datetime.fromtimestamp(0, UTC))


def test_the_backlog_ends_in_the_middle_and_the_rest_is_in_equal_pieces() -> None:
    found = cuts(Between(first=NOON, after=NOON + 2 * HOUR), NOON + 5 * HOUR)
    assert found == [NOON + (1 + number * 4 / PIECES) * HOUR for number in range(PIECES)]


def test_log_that_ends_before_the_middle_is_a_backlog_and_nothing_else() -> None:
    assert set(cuts(Between(first=NOON, after=NOON + 2 * HOUR), NOON)) == {NOON + HOUR}
