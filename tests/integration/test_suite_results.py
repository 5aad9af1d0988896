"""Running a suite: what each expectation found, and a page of Data Docs for each run."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from expectations.running import data_docs, run_suite
from spark_apps import catalog
from spark_apps.view import Check
from tests.log_records import at
from tests.versions import version_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from headwater.replay.proof import CheckResult

VIEW = replace(
    catalog.view("page_views_per_minute_received"),
    checks=(
        Check(
            expectation="expect_column_values_to_be_between",
            arguments={"column": "views", "min_value": 2},
            severity="warn",
        ),
        Check(expectation="expect_column_max_to_be_between", arguments={"column": "views", "max_value": 9}),
        Check(expectation="expect_column_values_to_not_be_null", arguments={"column": "nonsense"}),
    ),
)
LOADS = re.compile(r"<(script|link|img|iframe)\b|\b(src|href)=.?(https?:)?//|url\(|@import")
ROWS = [(at(0), "/home", 5), (at(0), "/home", 1), (at(1), None, 3)]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return SimpleNamespace(home=str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def results(lake: SparkSession, settings: Any) -> list[CheckResult]:
    rows = lake.createDataFrame(ROWS, VIEW.schema)
    for minute in (0, 1):
        found = run_suite(settings, version_of(VIEW), rows, datetime(2026, 1, 5, 12, minute, tzinfo=UTC))
    return found


def test_every_check_has_a_result_in_the_order_of_the_declaration(results: list[CheckResult]) -> None:
    assert [(check.success, check.severity) for check in results] == [
        (True, "fail"),  # the declared columns
        (False, "fail"),  # keys unique together
        (True, "fail"),  # minute_at not null
        (False, "fail"),  # page not null
        (False, "warn"),
        (True, "fail"),
        (False, "fail"),
    ]


def test_result_says_what_was_seen(results: list[CheckResult]) -> None:
    _, unique, _, page, views, largest, nonsense = results
    assert unique.unexpected == 2
    assert (page.unexpected, page.seen) == (1, "1 unexpected, such as None")
    assert str(views) == "expect_column_values_to_be_between(column=views, min_value=2.0)"
    assert views.seen == "1 unexpected, such as 1"
    assert largest.seen == "5"
    assert "nonsense" in nonsense.seen
    assert nonsense.seen.startswith("could not be evaluated")


def test_each_run_has_its_page_which_loads_nothing(results: list[CheckResult], settings: Any) -> None:
    site: Path = data_docs(settings) / "site"
    pages = sorted(page.parent.name for page in site.glob(f"validations/{VIEW.name}__v1/check/*/*.html"))
    assert pages == ["20260105T120000.000000Z", "20260105T120100.000000Z"]
    texts = [page.read_text() for page in site.rglob("*.html")]
    assert len(texts) == 4  # the index, the suite, and two runs
    assert not any(LOADS.search(text) for text in texts)
