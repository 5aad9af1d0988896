"""The registry's memory of what should run: rows that follow the versions, in a real PostgreSQL."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest

from headwater.artifacts import Artifact
from headwater.errors import Refusal
from headwater.registry import apps, connect, leases, releases, replays
from headwater.registry.wanted import settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.registry import Connection
    from headwater.settings import Settings


class Group:
    """A group of one view, under names that no other test uses."""

    def __init__(self, registry: Connection) -> None:
        mark = uuid.uuid4().hex[:8]
        self.registry, self.view, self.group = registry, f"orders_{mark}", f"sales_{mark}"

    def code(self, version: int, logic: str = "a") -> Artifact:
        declared = {
            "app": self.group,
            "version": version,
            "fingerprint": logic,
            "logic": {"transform()": logic},
        }
        return Artifact(hash=uuid.uuid4().hex[:16], path="nowhere", manifest={self.view: declared})

    def deploy(self, code: Artifact) -> None:
        releases.register(self.registry, code, [self.group])
        known = apps.app(self.registry, self.group)
        apps.assign(self.registry, self.group, code.hash, known["queries"] if known else ())
        settle(self.registry)

    def runs(self, app: str) -> tuple[str, list[str]] | None:
        row: dict[str, Any] | None = apps.app(self.registry, app)
        return (row["desired"], row["queries"]) if row else None


@pytest.fixture
def group(instance: Settings) -> Iterator[Group]:
    with connect(instance) as registry:
        group = Group(registry)
        yield group
        for version in releases.versions(registry, group.view):
            releases.set_status(registry, version["query"], "retired")
        settle(registry)
        apps.dismiss(registry, group.group)


def test_first_version_is_live_at_once_in_the_app_of_its_group(group: Group) -> None:
    group.deploy(group.code(1))
    assert group.runs(group.group) == ("running", [f"{group.view}.v1"])
    assert releases.live_version(group.registry, group.view)["label"] == "v1"


def test_version_leaves_its_group_when_new_code_lacks_it_and_comes_back_with_the_old(group: Group) -> None:
    old = group.code(1)
    group.deploy(old)
    group.deploy(group.code(2))
    assert group.runs(group.group) == ("running", [])
    assert group.runs(f"{group.view}.v1") == ("running", [f"{group.view}.v1"])
    assert apps.apart_from(group.registry, [group.group]) == [f"{group.view}.v1"]
    group.deploy(old)
    assert group.runs(group.group) == ("running", [f"{group.view}.v1"])
    assert group.runs(f"{group.view}.v1") == ("stopped", [])
    assert apps.apart_from(group.registry, [group.group]) == []
    group.deploy(group.code(2))
    assert group.runs(f"{group.view}.v1") == ("running", [f"{group.view}.v1"])


def test_app_that_a_person_stopped_stays_stopped_whatever_it_should_run(group: Group) -> None:
    group.deploy(group.code(1))
    apps.want(group.registry, group.group, "stopped")
    releases.register(group.registry, extended := group.code(1), [group.group])
    apps.assign(group.registry, group.group, extended.hash, [f"{group.view}.v1"])
    assert group.runs(group.group) == ("stopped", [f"{group.view}.v1"])


def test_wanting_a_broken_app_again_mends_it(group: Group) -> None:
    group.deploy(group.code(1))
    apps.give_up(group.registry, group.group)
    row = apps.app(group.registry, group.group)
    assert row is not None
    assert apps.must_end(group.registry, group.group, row["artifact"], row["queries"])
    apps.want(group.registry, group.group, "running")
    assert not apps.must_end(group.registry, group.group, row["artifact"], row["queries"])


def test_driver_must_end_when_its_app_should_run_anything_else(group: Group) -> None:
    group.deploy(group.code(1))
    row = apps.app(group.registry, group.group)
    assert row is not None
    assert not apps.must_end(group.registry, group.group, row["artifact"], row["queries"])
    assert apps.must_end(group.registry, group.group, "other", row["queries"])
    assert apps.must_end(group.registry, group.group, row["artifact"], [])
    assert apps.must_end(group.registry, group.group, row["artifact"], row["queries"], speaks=False)
    assert apps.must_end(group.registry, "never deployed", row["artifact"], row["queries"])


def test_driver_that_was_started_without_a_voice_is_outdated_in_an_app_that_has_one(group: Group) -> None:
    group.deploy(group.code(1))
    row = apps.app(group.registry, group.group)
    assert row is not None
    for speaks in (False, True):
        leases.take(group.registry, group.group, "a driver", row["artifact"], row["queries"], speaks=speaks)
        found = apps.app(group.registry, group.group)
        assert found is not None
        assert found["outdated"] is not speaks


def test_changed_logic_under_an_old_version_is_refused_with_what_changed(group: Group) -> None:
    group.deploy(group.code(1))
    with pytest.raises(Refusal, match="has changed, but its version has not") as refused:
        releases.register(group.registry, group.code(1, logic="b"), [group.group])
    assert refused.value.detail == "Version 1 had other logic: transform() changed."
    assert "version=2" in refused.value.hint


def test_same_code_can_be_built_again(group: Group) -> None:
    code = group.code(1)
    group.deploy(code)
    labels = [releases.add_version(group.registry, code, group.view)["label"] for _ in range(2)]
    assert labels == ["v1b2", "v1b3"]


def test_second_open_replay_of_a_view_is_refused(group: Group) -> None:
    code = group.code(1)
    group.deploy(code)
    query = releases.add_version(group.registry, code, group.view)["query"]
    entry = {"view": group.view, "query": query, "request": {}, "plan": {}}
    replays.enter(group.registry, key=f"{group.view} 1", **entry)
    with pytest.raises(Refusal, match="is under way"):
        replays.enter(group.registry, key=f"{group.view} 2", **entry)
    replays.close(group.registry, f"{group.view} 1", "rejected", "enough")
    replays.enter(group.registry, key=f"{group.view} 2", **entry)
    replays.close(group.registry, f"{group.view} 2", "rejected", "enough")


def test_views_of_apps_that_are_not_deployed_are_not_registered(group: Group) -> None:
    assert releases.register(group.registry, group.code(1), ["another"]) == []
    assert releases.versions(group.registry, group.view) == []
