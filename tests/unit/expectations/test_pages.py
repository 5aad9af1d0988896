"""Data Docs: pages that hold all they need, load and run nothing, and show what came from events as text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from great_expectations import Checkpoint, ValidationDefinition
from great_expectations.checkpoint.actions import UpdateDataDocsAction
from great_expectations.core.run_identifier import RunIdentifier

from expectations.running import RESULT_FORMAT, context_in
from expectations.suites import suite_of
from spark_apps import catalog
from spark_apps.view import Check
from tests.versions import version_of

if TYPE_CHECKING:
    from pathlib import Path

SENT = "<img src=http://evil.example/x.png><script>alert(1)</script>"
ROWS = {"minute_at": [1, 1, 2], "page": ["/home", "/home", SENT], "views": [5, 1, 3]}
VIEW = replace(
    catalog.view("page_views_per_minute_received"),
    checks=(
        Check(
            expectation="expect_column_values_to_be_in_set", arguments={"column": "page", "value_set": ["/a"]}
        ),
        Check(expectation="expect_column_max_to_be_between", arguments={"column": "views", "max_value": 9}),
        Check(expectation="expect_column_values_to_not_be_null", arguments={"column": "nonsense"}),
    ),
)


class Looking(HTMLParser):
    """A reader of a page, who notes its tags, where it points to and what it says."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str]:
        return [value for name, value in self.attributes if name == "href" and not value.startswith("#")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of two runs over rows in memory."""
    folder = tmp_path_factory.mktemp("data_docs")
    for minute in (0, 1):
        context = context_in(folder)
        rows = context.data_sources.add_pandas("lake").add_dataframe_asset("rows")
        definition = ValidationDefinition(
            name="rows",
            data=rows.add_batch_definition_whole_dataframe("all rows"),
            suite=context.suites.add_or_update(suite_of(version_of(VIEW))),
        )
        checkpoint = Checkpoint(
            name="rows",
            validation_definitions=[context.validation_definitions.add(definition)],
            actions=[UpdateDataDocsAction(name="publish")],
            result_format=RESULT_FORMAT,
        )
        context.checkpoints.add(checkpoint).run(
            batch_parameters={"dataframe": pd.DataFrame(ROWS)},
            run_id=RunIdentifier(run_name="check", run_time=datetime(2026, 1, 5, 12, minute, tzinfo=UTC)),
        )
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Looking]:
    found = {str(page.relative_to(site)): Looking(page) for page in sorted(site.rglob("*.html"))}
    assert len(found) == 4  # the index, the suite, and two runs
    return found


def test_no_page_loads_anything_or_runs_anything(pages: dict[str, Looking]) -> None:
    for page in pages.values():
        assert not {"script", "link", "img", "iframe", "object", "embed"} & set(page.tags)
        assert not [value for name, value in page.attributes if name == "src" or "://" in value]
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        assert "url(" not in page.text
        assert "@import" not in page.text


def test_the_browser_is_forbidden_to_load_or_run_anything(pages: dict[str, Looking]) -> None:
    for page in pages.values():
        assert any(value.startswith("default-src 'none'; style-src") for _, value in page.attributes)


def test_index_leads_to_every_page_without_a_script_newest_first(pages: dict[str, Looking]) -> None:
    index = pages["index.html"]
    assert set(index.links) == set(pages)
    assert index.text.index("2026-01-05 12:01") < index.text.index("2026-01-05 12:00")


def test_every_page_leads_to_pages_that_are_there(site: Path, pages: dict[str, Looking]) -> None:
    for name, page in pages.items():
        assert page.links
        for link in page.links:
            assert (site / name).parent.joinpath(link).resolve().is_file(), (name, link)


def test_run_says_what_failed_and_what_came_from_events_is_text(pages: dict[str, Looking]) -> None:
    _, run = sorted((name, page) for name, page in pages.items() if name.startswith("validations"))[-1]
    assert SENT in run.text
    assert "values must belong to this set" in run.text
    assert "3 unexpected values found" in run.text
    classes = " ".join(value for name, value in run.attributes if name == "class")
    for icon in ("fa-check-circle", "fa-times", "fa-exclamation-triangle"):
        assert icon in classes
        assert f".{icon}::before" in run.text  # without a sign of ours, it would not be seen
