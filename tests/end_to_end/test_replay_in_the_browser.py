"""A person fixes a view, in a browser: refused, planned, built, proved, approved, served, rolled back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from headwater import declared, lake, replay
from headwater.registry import connect, releases
from tests.end_to_end.looking import wait_for_run, wait_for_task
from tests.end_to_end.pages import Pages
from tests.fixed_code import MORE, VIEW
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from headwater.airflow_api import Airflow
    from headwater.settings import Settings
    from tests.end_to_end.conftest import Fix

NONSENSE = "'; DROP TABLE versions; -- \" $(touch /tmp/headwater-was-here) ../../etc {{ 7 * 7 }}"


@pytest.fixture(scope="module")
def pages(browser: Browser, busy_shop: Settings) -> Iterator[Pages]:
    opened = Pages.log_in(browser, busy_shop)
    yield opened
    opened.page.close()  # a page that is left open goes on asking


def test_form_lists_the_views_with_what_they_say_of_themselves(pages: Pages) -> None:
    form = pages.open_form("replay")
    views = declared.views().values()
    assert pages.choices(form) == [f"{view.name}: {view.summary}" for view in views]
    pages.picture("replay-form")


def test_nonsense_in_the_form_is_refused_in_words(
    pages: Pages, busy_shop: Settings, airflow: Airflow
) -> None:
    before = replay.status(busy_shop, VIEW)
    run = pages.trigger("replay", VIEW, start=NONSENSE)
    pages.reads("the form could not be accepted")
    note = pages.open_note().inner_text()
    assert "is neither earliest, nor a time with its zone, nor offsets as JSON" in note
    assert "DROP TABLE versions" in note, "what was typed is shown as it was typed"
    pages.picture("replay-refused")
    wait_for_run(airflow, "replay", run, "failed")
    assert replay.status(busy_shop, VIEW) == before


def test_code_that_cannot_be_is_refused_by_the_form_itself(pages: Pages) -> None:
    form = pages.open_form("replay")
    pages.choices(form)
    pages.page.get_by_role("option", name=f"{VIEW}:").click()
    form.locator("[name=element_artifact]").fill("$(id)")
    form.get_by_test_id("trigger-dag-submit").click()
    pages.reads("Invalid input for param artifact")


def test_dry_run_shows_the_plan_and_changes_nothing(
    pages: Pages, busy_shop: Settings, airflow: Airflow, fix: Fix
) -> None:
    before = replay.status(busy_shop, VIEW)
    run = pages.trigger("replay", VIEW, artifact=fix.artifact)
    pages.reads(f"Replay of {VIEW}: {live_label(busy_shop)} → {fix.label}")
    wait_for_run(airflow, "replay", run, "success")
    assert "May run." in pages.open_note().inner_text()
    pages.picture("replay-plan")
    assert replay.status(busy_shop, VIEW) == before


@pytest.mark.timeout(2400)
def test_fixed_view_is_replayed_approved_served_and_rolled_back(
    pages: Pages, busy_shop: Settings, airflow: Airflow, fix: Fix
) -> None:
    live = live_label(busy_shop)
    run = pages.trigger("replay", VIEW, artifact=fix.artifact, dry_run=False)
    pages.rest()
    wait_for_task(airflow, "replay", run, "approve", "awaiting_input")
    assert not rows_are_fixed(busy_shop), "readers see the candidate before it is approved"

    pages.open_task("replay", run, "approve", "required_actions")
    pages.reads("The proof holds")
    pages.picture("replay-approval")
    pages.page.get_by_role("button", name="Approve").click()
    wait_for_run(airflow, "replay", run, "success")
    assert rows_are_fixed(busy_shop)
    pages.page.goto(f"{pages.url}/dags/replay/runs/{run}")
    pages.reads(f"view {VIEW} serves {fix.label} now")
    pages.picture("replay-done")

    promoted_at = datetime.now(UTC)
    back = pages.trigger("rollback", VIEW)
    pages.reads(f"view {VIEW} serves {live} again")
    pages.picture("rollback")
    wait_for_run(airflow, "rollback", back, "success")
    assert not rows_are_fixed(busy_shop)
    wait_for("fresh rows of the version before", lambda: newest_minute(busy_shop) >= promoted_at)


def rows_are_fixed(settings: Settings) -> bool:
    """Say which version readers see: all rows of one kind, never a mix."""
    (fixed,) = {row["views"] > MORE for row in lake.newest_rows(settings, VIEW, 1000).to_pylist()}
    return bool(fixed)


def live_label(settings: Settings) -> str:
    with connect(settings) as registry:
        return str(releases.live_version(registry, VIEW)["label"])


def newest_minute(settings: Settings) -> datetime:
    newest: datetime = lake.newest_rows(settings, VIEW, 1).to_pylist()[0]["minute_at"]
    return newest
