"""Running a suite over the rows of a version, and keeping what came out for people: Data Docs.

One site for all views, in `<home>/data_docs/site`; a page for each run, so that the past stays readable.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from great_expectations import Checkpoint, ValidationDefinition, get_context
from great_expectations.checkpoint.actions import UpdateDataDocsAction
from great_expectations.core.run_identifier import RunIdentifier
from great_expectations.data_context.types.base import DataContextConfig, ProgressBarsConfig

from expectations.pages import site
from expectations.suites import PLACE, suite_name, suite_of
from headwater.replay.proof import CheckResult

if TYPE_CHECKING:
    from datetime import datetime

    from great_expectations.core import ExpectationValidationResult
    from great_expectations.core.batch_definition import BatchDefinition
    from great_expectations.data_context.data_context.abstract_data_context import AbstractDataContext
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
    from pyspark.sql import DataFrame

    from expectations.versions import Version
    from headwater.settings import Settings

SITE = "views"
FEW = 5  # samples of unexpected values: enough to see what is wrong
RESULT_FORMAT = {"result_format": "SUMMARY", "partial_unexpected_count": FEW}
# What Great Expectations adds to the arguments of a check on its own account.
THEIRS = ("batch_id",)


def run_suite(settings: Settings, version: Version, rows: DataFrame, at: datetime) -> list[CheckResult]:
    """Check the rows of a version, add a page to Data Docs, and return what each expectation found."""
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = context_in(data_docs(settings))
    try:
        checkpoint = context.checkpoints.add(_checkpoint(context, version))
        found = checkpoint.run(
            batch_parameters={"dataframe": rows}, run_id=RunIdentifier(run_name="check", run_time=at)
        )
    finally:
        rows.unpersist()  # Great Expectations keeps in memory what it looks at several times
    (results,) = found.run_results.values()
    return [_result(result) for result in sorted(results.results, key=_place)]


def data_docs(settings: Settings) -> Path:
    """Return the folder of Data Docs; people open `site/index.html` in it."""
    return Path(settings.home, "data_docs")


def _checkpoint(context: AbstractDataContext, version: Version) -> Checkpoint:
    suite = context.suites.add_or_update(suite_of(version))
    name = suite_name(version)
    definition = ValidationDefinition(name=name, data=_all_rows(context, name), suite=suite)
    return Checkpoint(
        name=name,
        validation_definitions=[context.validation_definitions.add(definition)],
        actions=[UpdateDataDocsAction(name="publish")],
        result_format=RESULT_FORMAT,
    )


def _all_rows(context: AbstractDataContext, name: str) -> BatchDefinition[Any]:
    asset = context.data_sources.add_spark("lake").add_dataframe_asset(name)
    return asset.add_batch_definition_whole_dataframe("all rows")


def context_in(folder: Path) -> AbstractDataContext:
    """Open the memory of past results. What can be declared anew each time is not kept."""

    def kept(name: str) -> dict[str, Any]:
        backend = {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder / name)}
        return {"store_backend": backend}

    forgotten = {"store_backend": {"class_name": "InMemoryStoreBackend"}}
    config = DataContextConfig(
        config_version=4.0,
        analytics_enabled=False,  # nothing of ours is told to anybody
        progress_bars=ProgressBarsConfig(globally=False),
        expectations_store_name="suites",
        validation_results_store_name="results",
        checkpoint_store_name="checkpoints",
        stores={
            "suites": {"class_name": "ExpectationsStore", **kept("suites")},
            "results": {"class_name": "ValidationResultsStore", **kept("results")},
            "checkpoints": {"class_name": "CheckpointStore", **forgotten},
            "validation_definition_store": {"class_name": "ValidationDefinitionStore", **forgotten},
        },
        data_docs_sites={SITE: site(str(folder / "site"))},
    )
    return get_context(mode="ephemeral", project_config=config)


def _result(result: ExpectationValidationResult) -> CheckResult:
    config, details = _expected(result), result.result
    return CheckResult(
        expectation=config.type,
        arguments={name: value for name, value in config.kwargs.items() if name not in THEIRS},
        severity="fail" if config.severity == "critical" else "warn",
        success=bool(result.success),
        observed=_observed(details),
        unexpected=details.get("unexpected_count"),
        samples=tuple(str(value) for value in details.get("partial_unexpected_list") or ())[:FEW],
        error=_error(result.exception_info),
    )


def _place(result: ExpectationValidationResult) -> int:
    return int(_expected(result).meta[PLACE])


def _expected(result: ExpectationValidationResult) -> ExpectationConfiguration:
    if result.expectation_config is None:
        raise LookupError("a result of Great Expectations does not say what was expected")
    return result.expectation_config


def _observed(details: dict[str, Any]) -> str | None:
    value = details.get("observed_value")
    return None if value is None else f"{value}"


def _error(info: dict[str, Any]) -> str | None:
    """Return what went wrong in a check itself: one error, or one for each metric it needed."""
    for raised in (info, *(value for value in info.values() if isinstance(value, dict))):
        if raised.get("raised_exception"):
            return str(raised.get("exception_message")).strip().split("\n")[0]
    return None
