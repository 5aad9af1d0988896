"""What should run, given the versions there are and the code of each group."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.registry.wanted import Wanted, wanted_apps

OLD = {"orders": {"app": "sales", "version": 1}, "refunds": {"app": "sales", "version": 1}}
NEW = {"orders": {"app": "sales", "version": 2}, "refunds": {"app": "sales", "version": 1}}
MANIFESTS = {"old": OLD, "new": NEW}


def version(
    view: str, number: int, status: str, artifact: str, build: int = 1, apart: bool = False
) -> dict[str, Any]:
    label = f"v{number}" + (f"b{build}" if build > 1 else "")
    return {
        "view": view,
        "version": number,
        "status": status,
        "artifact": artifact,
        "apart": apart,
        "query": f"{view}.{label}",
    }


REFUNDS = version("refunds", 1, "live", "old")


def test_group_runs_the_live_versions_of_its_views() -> None:
    versions = [version("orders", 1, "live", "old"), REFUNDS]
    assert wanted_apps({"sales": "old"}, MANIFESTS, versions) == {
        "sales": Wanted(artifact="old", queries=("orders.v1", "refunds.v1"))
    }


def test_candidate_runs_as_an_app_of_its_own() -> None:
    versions = [
        version("orders", 1, "live", "old"),
        version("orders", 2, "building", "new", apart=True),
        REFUNDS,
    ]
    assert wanted_apps({"sales": "old"}, MANIFESTS, versions) == {
        "sales": Wanted(artifact="old", queries=("orders.v1", "refunds.v1")),
        "orders.v2": Wanted(artifact="new", queries=("orders.v2",), speaks=False),
    }


def test_candidate_of_the_same_code_runs_as_an_app_of_its_own() -> None:
    versions = [
        version("orders", 1, "live", "old"),
        version("orders", 1, "candidate", "old", build=2, apart=True),
    ]
    assert wanted_apps({"sales": "old"}, MANIFESTS, versions) == {
        "sales": Wanted(artifact="old", queries=("orders.v1",)),
        "orders.v1b2": Wanted(artifact="old", queries=("orders.v1b2",), speaks=False),
    }


def test_promotion_moves_no_driver() -> None:
    def versions(first: str, second: str) -> list[dict[str, Any]]:
        apart = version("orders", 1, second, "old", build=2, apart=True)
        return [version("orders", 1, first, "old"), apart, REFUNDS]

    before, after = versions("live", "candidate"), versions("warm", "live")
    groups = {"sales": "old"}
    assert wanted_apps(groups, MANIFESTS, before) == wanted_apps(groups, MANIFESTS, after)


def test_live_version_that_new_code_does_not_have_goes_on_as_an_app_of_its_own() -> None:
    versions = [version("orders", 1, "live", "old"), REFUNDS]
    assert wanted_apps({"sales": "new"}, MANIFESTS, versions) == {
        "sales": Wanted(artifact="new", queries=("refunds.v1",)),
        "orders.v1": Wanted(artifact="old", queries=("orders.v1",), speaks=False),
    }


def test_released_version_is_folded_into_its_group() -> None:
    versions = [version("orders", 1, "retired", "old"), version("orders", 2, "live", "new"), REFUNDS]
    assert wanted_apps({"sales": "new"}, MANIFESTS, versions) == {
        "sales": Wanted(artifact="new", queries=("orders.v2", "refunds.v1"))
    }


def test_retired_version_runs_nowhere() -> None:
    versions = [version("orders", 1, "retired", "old")]
    assert wanted_apps({"sales": "old"}, MANIFESTS, versions) == {"sales": Wanted(artifact="old", queries=())}


# The same views, each with an output topic.
PUBLISHING = {
    code: {view: declared | {"publishes": "alerts"} for view, declared in manifest.items()}
    for code, manifest in MANIFESTS.items()
}


@pytest.mark.parametrize(
    ("first", "second", "speaking"),
    [
        ("live", "building", "orders.v1"),
        ("live", "candidate", "orders.v1"),
        ("warm", "live", "orders.v2"),  # promoted
        ("live", "warm", "orders.v1"),  # rolled back
    ],
)
def test_of_versions_that_run_apart_only_the_live_one_may_write_their_topic(
    first: str, second: str, speaking: str
) -> None:
    versions = [version("orders", 1, first, "old"), version("orders", 2, second, "new", apart=True)]
    wanted = wanted_apps({"sales": "neither"}, PUBLISHING | {"neither": {}}, versions)
    assert {app for app, what in wanted.items() if what.speaks} == {"sales", speaking}


def test_live_version_may_write_its_topic_wherever_code_moves_it() -> None:
    live = version("orders", 1, "live", "old")
    assert wanted_apps({"sales": "new"}, PUBLISHING, [live])["orders.v1"].speaks
    assert wanted_apps({"sales": "old"}, PUBLISHING, [live])["sales"].speaks
