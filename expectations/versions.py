"""A version of a view as its checkers see it: what the registry knows, and what its own code declared.

The declaration comes from the manifest of the version's artifact: a candidate and the live version may be of
different code, and neither has to be the code that runs here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from headwater import names
from headwater.declared import columns_in
from headwater.registry import releases, replays
from headwater.replay.backfill_proof import Outcome
from headwater.replay.between import Between
from spark_apps.seam import Cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from headwater.registry import Connection

    Offsets = Mapping[str, Mapping[str, int]]  # topic -> partition -> offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a check needs to know of a view."""

    inputs: tuple[str, ...]
    tables: tuple[str, ...]
    schema: str
    keys: tuple[str, ...]
    time: str
    window: timedelta
    output: Literal["append", "update"]
    closing: str  # SQL: from when on no event can change a row
    clock: Literal["event_time", "received_at"]
    lateness: timedelta
    remembers: timedelta
    freshness: timedelta
    checks: tuple[Mapping[str, Any], ...]  # expectation, arguments, severity
    difference_budget: float
    uncompared: tuple[str, ...] = ()

    @classmethod
    def read(cls, manifest: Mapping[str, Any]) -> Declared:
        """Read a view's entry of a manifest."""
        durations = ("window", "lateness", "remembers", "freshness")
        lists = ("inputs", "tables", "keys", "checks")
        as_written = ("schema", "time", "output", "closing", "clock", "difference_budget")
        fields: dict[str, Any] = {name: manifest[name] for name in as_written}
        fields |= {name: tuple(manifest[name]) for name in lists}
        fields["uncompared"] = tuple(manifest.get("uncompared", ()))  # code from before does not say it
        fields |= {name: timedelta(seconds=manifest[f"{name}_seconds"]) for name in durations}
        return cls(**fields)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the schema."""
        return tuple(columns_in(self.schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a view: where its rows are, where it began, and what it promises."""

    view: str
    label: str
    table: str
    checkpoint: str
    declared: Declared
    starting_offsets: Offsets | None = None
    stitches: Offsets = field(default_factory=dict)
    seam_at: datetime | None = None
    admitted: tuple[Between, ...] = ()  # windows into which backfills have let late events, by their start
    cut: Cut | None = None  # where it is cut in two, if it was rebuilt at a seam

    @property
    def name(self) -> str:
        """What it is called as a whole: the name of its query."""
        return names.query(self.view, self.label)


def find(registry: Connection, view: str, label: str) -> Version:
    """Return one version, or refuse."""
    return _version(registry, releases.version(registry, names.query(view, label)))


def live(registry: Connection, view: str) -> Version:
    """Return the version that readers see, or refuse."""
    return _version(registry, releases.live_version(registry, view))


def live_or_none(registry: Connection, view: str) -> Version | None:
    """Return the version that readers see, if there is one yet."""
    return live(registry, view) if view in live_views(registry) else None


def live_views(registry: Connection) -> list[str]:
    """Return the views that have a live version."""
    return sorted(row["view"] for row in releases.versions(registry) if row["status"] == "live")


def _version(registry: Connection, row: dict[str, Any]) -> Version:
    manifest = releases.artifact(registry, _code(registry, row)).manifest[row["view"]]
    return Version(
        view=row["view"],
        label=row["label"],
        table=row["table_name"],
        checkpoint=row["checkpoint"],
        declared=Declared.read(manifest),
        starting_offsets=row["starting_offsets"],
        stitches=row["stitches"],
        seam_at=row["seam_at"],
        admitted=admitted(replays.outcomes(registry, row["query"])),
        cut=Cut.read(row["cut"]) if row["cut"] else None,
    )


def admitted(outcomes: Iterable[Mapping[str, Any]]) -> tuple[Between, ...]:
    """Return the stretches that hold late events after these backfills; a later one undoes an earlier one."""
    found: list[Between] = []
    for outcome in map(Outcome.model_validate, outcomes):
        stretch = Between(first=outcome.first, after=outcome.after)
        found = [rest for known in found for rest in known.without(stretch)]
        found += [stretch] if outcome.lateness is not None else []
    return tuple(found)


def _code(registry: Connection, row: dict[str, Any]) -> str:
    """Return the artifact that keeps a version: checks may change without a new version, and then count."""
    app = registry.execute("SELECT artifact FROM apps WHERE %s = ANY(queries)", [row["query"]]).fetchone()
    return str(app["artifact"] if app else row["artifact"])
