"""Suites: every declared check is in, those that follow from the view are, too, and nonsense is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from expectations.suites import checks_of, suite_of
from headwater.errors import Refusal
from spark_apps import catalog
from spark_apps.view import Check
from tests.versions import version_of

if TYPE_CHECKING:
    from expectations.versions import Version

VIEW = catalog.view("page_views_per_minute")
BETWEEN = "expect_column_values_to_be_between"


def version(*checks: Check, **changes: Any) -> Version:
    return version_of(replace(VIEW, checks=checks, **changes))


def test_every_view_gets_the_checks_that_follow_from_what_it_is() -> None:
    derived = [(check.expectation, check.arguments) for check in checks_of(version().declared)]
    assert derived == [
        (
            "expect_table_columns_to_match_ordered_list",
            {"column_list": ["minute_at", "page", "views", "revision"]},
        ),
        ("expect_compound_columns_to_be_unique", {"column_list": ["minute_at", "page"]}),
        ("expect_column_values_to_not_be_null", {"column": "minute_at"}),
        ("expect_column_values_to_not_be_null", {"column": "page"}),
    ]


def test_check_that_a_view_declares_itself_is_not_made_twice() -> None:
    declared = Check(
        expectation="expect_column_values_to_not_be_null", arguments={"column": "page"}, severity="warn"
    )
    checks = checks_of(version(declared).declared)
    assert len(checks) == len(checks_of(version().declared))
    assert (checks[-1].arguments, checks[-1].severity) == ({"column": "page"}, "warn")


def test_single_key_is_unique_by_itself() -> None:
    alone = version(keys=("minute_at",))
    assert checks_of(alone.declared)[1].expectation == "expect_column_values_to_be_unique"


def test_suite_holds_every_declared_check_with_its_severity() -> None:
    positive = Check(expectation=BETWEEN, arguments={"column": "views", "min_value": 1})
    suite = suite_of(version(positive, replace(positive, severity="warn")))
    assert [expectation.severity for expectation in suite.expectations] == ["critical"] * 5 + ["warning"]


def test_columns_are_found_whatever_their_types() -> None:
    schema = "a STRUCT<x: INT, y: ARRAY<DECIMAL(3,1)>>, b DECIMAL(10, 2), c STRING"
    assert version(schema=schema).declared.columns == ("a", "b", "c")


@pytest.mark.parametrize(
    ("expectation", "arguments", "words"),
    [
        ("expect_nothing", {}, 'no expectation "expect_nothing"'),
        (BETWEEN, {"column": "views", "minimum": 1}, "minimum"),
        (BETWEEN, {"min_value": 1}, "column"),
        (BETWEEN, {"column": "views"}, "min_value and max_value"),
    ],
)
def test_check_that_cannot_be_made_is_refused_by_name(
    expectation: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(Refusal, match=words) as refusal:
        suite_of(version(Check(expectation=expectation, arguments=arguments)))
    assert 'view "page_views_per_minute"' in str(refusal.value)
    assert expectation in str(refusal.value)


def test_suites_of_all_views_can_be_made() -> None:
    for view in catalog.views().values():
        own = {check.expectation for check in view.checks}
        assert own <= {made.expectation_type for made in suite_of(version_of(view)).expectations}
