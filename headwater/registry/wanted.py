"""What should run: a pure function of the versions there are and of the code each group was deployed with.

A group's app runs the versions of its views that its own code contains. A version that needs other code runs
as an app of its own, and so does one that a replay has built, until it is released: promoting it, or rolling
back, moves no version to another driver.

Output topics hear of the versions that readers see. A group's app may write them; an app of a single version
may if that is live and has such a topic. When that changes, its driver starts anew: it is somebody else to
Kafka then.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.registry import apps, releases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from headwater.registry import Connection

    Manifest = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One app: the code it runs, and the queries."""

    artifact: str
    queries: tuple[str, ...]
    speaks: bool = True  # it may write output topics


def wanted_apps(
    groups: Mapping[str, str], manifests: Mapping[str, Manifest], versions: Iterable[Mapping[str, Any]]
) -> dict[str, Wanted]:
    """Return the apps that should exist, given the artifact of each group."""
    queries: dict[tuple[str, str], list[str]] = {(group, code): [] for group, code in groups.items()}
    heard = set(groups)
    for version in versions:
        if version["status"] in releases.KEPT:
            queries.setdefault(_home(version, groups, manifests), []).append(version["query"])
        if version["status"] == "live" and manifests[version["artifact"]][version["view"]].get("publishes"):
            heard.add(version["query"])
    return {
        app: Wanted(artifact=code, queries=tuple(sorted(ran)), speaks=app in heard)
        for (app, code), ran in queries.items()
    }


def _home(
    version: Mapping[str, Any], groups: Mapping[str, str], manifests: Mapping[str, Manifest]
) -> tuple[str, str]:
    """Return the app of a version and its artifact."""
    view = version["view"]
    group = manifests[version["artifact"]][view]["app"]
    if not version["apart"] and group in groups:
        declared = manifests[groups[group]].get(view)
        if declared and (declared["app"], declared["version"]) == (group, version["version"]):
            return group, groups[group]
    return version["query"], version["artifact"]


@contextmanager
def changing(registry: Connection) -> Iterator[None]:
    """Change versions or apps, alone, and bring the apps' rows in step with it: all in one transaction."""
    with registry.transaction():
        registry.execute("LOCK TABLE apps IN SHARE ROW EXCLUSIVE MODE")
        yield
        _settle(registry)


def settle(registry: Connection) -> None:
    """Bring the apps' rows in step with the versions. What runs follows at the next tick."""
    with changing(registry):
        pass


def _settle(registry: Connection) -> None:
    versions = releases.versions(registry)
    own = {version["query"] for version in versions}
    rows = {row["name"]: row for row in apps.all_apps(registry)}
    groups = {name: row["artifact"] for name, row in rows.items() if name not in own}
    manifests = {
        row["hash"]: row["manifest"] for row in registry.execute("SELECT hash, manifest FROM artifacts")
    }
    wanted = wanted_apps(groups, manifests, versions)
    for name, app in wanted.items():
        apps.assign(registry, name, app.artifact, app.queries, speaks=app.speaks)
    for name in rows.keys() - wanted.keys():
        apps.dismiss(registry, name)
