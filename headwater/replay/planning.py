"""The plan of a rebuild: what it will read and make, how long that takes, and why it may be refused.

Nothing runs before the plan, and a dry run ends with it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from headwater import artifacts, names, offsets
from headwater.brokers import admin_client
from headwater.engines import engine_of
from headwater.errors import Refusal
from headwater.registry import releases, replays
from headwater.replay.form import Form, choose
from headwater.replay.request import CURRENT, EARLIEST
from headwater.replay.starting import Stretch, offsets_of, resolve, seam, stitches_of
from headwater.settings import Replaying

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafka import KafkaAdminClient

    from headwater.artifacts import Artifact
    from headwater.registry import Connection
    from headwater.replay.request import ReplayRequest
    from headwater.settings import Settings

# Where no replay has been measured yet: low enough to promise.
ASSUMED_RATE = 20_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a replay would do, and whether it may."""

    view: str
    live: str  # label of what readers see now
    candidate: str  # label of what will be made
    artifact: str
    start: str
    stretches: tuple[Stretch, ...]
    seam_at: datetime | None
    form: Form
    size: int  # bytes to read
    rate: float  # events per second
    measured: bool  # whether that rate was seen here, or is assumed
    publishes: str | None  # the topic that is not told again
    dependants: tuple[str, ...]
    refusals: tuple[str, ...]

    @property
    def events(self) -> int:
        """Return how many events there are to read."""
        return sum(stretch.events for stretch in self.stretches)

    @property
    def expected(self) -> timedelta:
        """Return how long reading them takes."""
        return timedelta(seconds=self.events / self.rate)

    @property
    def starting_offsets(self) -> dict[str, dict[str, int]]:
        """Return where to start, as Spark wants to be told."""
        return offsets_of(self.stretches)

    @property
    def stitches(self) -> dict[str, dict[str, int]]:
        """Return where Kafka takes over from the cold log, for the topics that need it."""
        return stitches_of(self.stretches)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as it is stored with the replay."""
        seam_at = self.seam_at.isoformat() if self.seam_at else None
        return {**asdict(self), "seam_at": seam_at, "events": self.events}

    def markdown(self) -> str:
        """Return the plan for people."""
        from headwater.replay.telling import plan_in_markdown, table_of

        return plan_in_markdown(self, table_of(self.stretches))

    def summary(self) -> str:
        """Return the plan for a page that has little room: by topic, not by partition."""
        from headwater.replay.telling import plan_in_markdown, topics_of

        return plan_in_markdown(self, topics_of(self.stretches))

    def refuse(self) -> None:
        """Raise if this plan may not be run."""
        if self.refusals:
            raise Refusal(
                f'view "{self.view}" cannot be replayed like this',
                detail=" ".join(self.refusals),
                hint="Change the start or the code, or wait for what is in the way; then ask again.",
            )


def plan_with(settings: Settings, registry: Connection, request: ReplayRequest, artifact: Artifact) -> Plan:
    """Plan a replay with the very code that it will run."""
    live = releases.live_version(registry, request.view)
    declared = declared_in(artifact, request.view)
    with admin_client(settings, Replaying.reader) as client:
        events = resolve(settings, client, declared["inputs"], request.start)
        # What is true now was said long ago: a table is always read as a whole. What was true at the time of
        # an event, a newer change may have superseded; without events only the newest counts.
        past = bool(declared["inputs"])
        changes = resolve(settings, client, declared["tables"], EARLIEST, superseded=past)
        stretches = [*events, *changes]
        size = size_of(client, stretches, stretches)
    rate = replays.measured_rate(registry)
    return Plan(
        view=request.view,
        live=live["label"],
        candidate=_next_label(registry, request.view, declared["version"]),
        artifact=artifact.hash,
        start=request.start,
        stretches=tuple(stretches),
        seam_at=seam(settings, request.start, events, timedelta(seconds=declared["look_back_seconds"])),
        form=choose(declared, stretches),
        size=size,
        rate=rate or ASSUMED_RATE,
        measured=rate is not None,
        publishes=declared["publishes"],
        dependants=tuple(dependants(artifact, request.view)),
        refusals=tuple(_refusals(settings, registry, artifact, request, stretches)),
    )


def artifact_of(settings: Settings, registry: Connection, request: ReplayRequest) -> Artifact:
    """Return the code that a request names; the working tree's is packed if it is not known yet."""
    if request.artifact == CURRENT:
        return artifacts.pack(settings)
    return releases.artifact(registry, request.artifact)


def declared_in(artifact: Artifact, view: str) -> dict[str, Any]:
    """Return what an artifact says of a view."""
    if view not in artifact.manifest:
        raise Refusal(
            f'artifact {artifact.hash} has no view "{view}"',
            detail=f"Its views: {', '.join(sorted(artifact.manifest))}.",
        )
    declared: dict[str, Any] = artifact.manifest[view]
    return declared


def _next_label(registry: Connection, view: str, version: int) -> str:
    builds = [row["build"] for row in releases.versions(registry, view) if row["version"] == version]
    return names.label(version, max(builds, default=0) + 1)


def _refusals(
    settings: Settings,
    registry: Connection,
    artifact: Artifact,
    request: ReplayRequest,
    stretches: list[Stretch],
) -> list[str]:
    found = [stretch.refusal for stretch in stretches if stretch.refusal]
    if not declared_in(artifact, request.view)["inputs"] and request.start != EARLIEST:
        found.append("A view of tables is rebuilt from the beginning: a row may not have changed since then.")
    if (other := replays.open_replay(registry, request.view)) is not None:
        found.append(replays.under_way(other))
    try:
        releases.check_logic(registry, artifact, request.view)
    except Refusal as refusal:
        found.append(f"{refusal.primary.capitalize()}. {refusal.detail} {refusal.hint}")
    try:
        found += filter(None, [engine_of(settings).room()])
    except Refusal as refusal:
        found.append(f"{refusal.primary.capitalize()}. {refusal.hint}")
    return found


def dependants(artifact: Artifact, view: str) -> list[str]:
    """Return the views that read what this view puts on the log."""
    topic = artifact.manifest[view]["publishes"]
    return sorted(
        name
        for name, declared in artifact.manifest.items()
        if topic in (*declared["inputs"], *declared["tables"])
    )


def size_of(client: KafkaAdminClient, stretches: Sequence[Stretch], held: Sequence[Stretch]) -> int:
    """Estimate the bytes to read: of each partition's size on disk, the share of offsets asked for."""
    on_disk = offsets.sizes(client, {stretch.topic for stretch in stretches})
    return sum(
        on_disk[stretch.topic].get(stretch.partition, 0)
        * stretch.events
        // max(whole.end - whole.beginning, 1)
        for stretch, whole in zip(stretches, held, strict=True)
    )
