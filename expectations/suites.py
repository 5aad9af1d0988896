"""From a view's declaration to a suite of Great Expectations: what it says, and what follows from what it is.

Great Expectations drops an expectation that it cannot read, and only its log tells; a check that is not made
would pass for one that holds. So every check is built by itself, refused by name, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from great_expectations import ExpectationSuite
from great_expectations.exceptions.exceptions import ExpectationNotFoundError
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.registry import get_expectation_impl

from headwater.errors import Refusal

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

    from expectations.versions import Declared, Version

PLACE = "place"  # in the declaration; results come in another order
SEVERITIES = {"fail": FailureSeverity.CRITICAL, "warn": FailureSeverity.WARNING}  # ours, and theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """An expectation in its own words, and how much it matters."""

    expectation: str
    arguments: dict[str, Any] = field(default_factory=dict)
    severity: Literal["fail", "warn"] = "fail"


def suite_of(version: Version) -> ExpectationSuite:
    """Return the suite of a version; a check that is no expectation is refused."""
    checks = checks_of(version.declared)
    built = [_build(version.view, check, place) for place, check in enumerate(checks)]
    suite = ExpectationSuite(name=suite_name(version), expectations=built)
    if len(suite.expectations) != len(checks):
        raise Refusal(
            f'the suite of view "{version.view}" is not complete',
            detail=f"{len(checks)} checks are declared, {len(suite.expectations)} were taken.",
        )
    return suite


def suite_name(version: Version) -> str:
    """Return what the suite of a version is called, in Data Docs, too."""
    return f"{version.view}__{version.label}"


def checks_of(declared: Declared) -> list[Check]:
    """Return the checks of a view: those that every view has, then its own."""
    own = [Check(**check) for check in declared.checks]
    said = [(check.expectation, check.arguments) for check in own]
    derived = [check for check in _derived(declared) if (check.expectation, check.arguments) not in said]
    return [*derived, *own]


def _derived(declared: Declared) -> list[Check]:
    keys = list(declared.keys)
    unique = (
        Check(expectation="expect_compound_columns_to_be_unique", arguments={"column_list": keys})
        if len(keys) > 1
        else Check(expectation="expect_column_values_to_be_unique", arguments={"column": keys[0]})
    )
    return [
        Check(
            expectation="expect_table_columns_to_match_ordered_list",
            arguments={"column_list": list(declared.columns)},
        ),
        unique,
        *(
            Check(expectation="expect_column_values_to_not_be_null", arguments={"column": key})
            for key in keys
        ),
    ]


def _build(view: str, check: Check, place: int) -> Expectation:
    try:
        kind = get_expectation_impl(check.expectation)
        return kind(**check.arguments, severity=SEVERITIES[check.severity], meta={PLACE: place})
    except ExpectationNotFoundError:
        raise Refusal(
            f'view "{view}": there is no expectation "{check.expectation}"',
            hint="Use the names of Great Expectations' gallery, e.g. expect_column_values_to_not_be_null.",
        ) from None
    except ValueError as error:  # their models' errors are of this kind
        raise Refusal(
            f'view "{view}": check "{check.expectation}" has wrong arguments', detail=str(error)
        ) from None
