"""The plan of a backfill: which windows it replaces, what it reads for that, and why it may be refused.

Offsets mean a stretch of time, too: from when on windows have all their records behind the first offsets, up
to when no record of a window lies behind the last ones.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from headwater import checkpoints, peeking, time_travel
from headwater.bounds import CLOCK_TOLERANCE, OLDEST
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.registry import releases, replays
from headwater.replay.between import Between
from headwater.replay.needing import Ingredients, needed
from headwater.replay.planning import ASSUMED_RATE, declared_in, dependants, size_of
from headwater.replay.request import BACKFILL, time_in
from headwater.replay.starting import first_received, resolve, seam
from headwater.settings import Replaying

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka import KafkaAdminClient

    from headwater.artifacts import Artifact
    from headwater.registry import Connection
    from headwater.replay.needing import Needed
    from headwater.replay.request import ReplayRequest
    from headwater.replay.starting import Stretch
    from headwater.settings import Settings

# Nothing in any log is older, and there must be time for a look-back before it.
LONG_AGO = datetime(1971, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillPlan:
    """What a backfill would do, and whether it may."""

    view: str
    live: str  # label of the version whose rows are replaced
    artifact: str
    between: Between
    window: timedelta
    lateness: timedelta  # the view's own
    own_lateness: timedelta | None  # what was asked for instead
    admits: bool  # whether that lets late events in
    stretches: tuple[Stretch, ...]
    size: int  # bytes to read
    rate: float  # events per second
    measured: bool  # whether that rate was seen here, or is assumed
    publishes: str | None  # the topic that is not told
    dependants: tuple[str, ...]
    refusals: tuple[str, ...]

    @property
    def starts(self) -> Between:
        """Return when the windows start that are replaced."""
        return self.between.starts_of(self.window)

    @property
    def events(self) -> int:
        """Return how many events there are to read."""
        return sum(stretch.events for stretch in self.stretches)

    @property
    def expected(self) -> timedelta:
        """Return how long reading them takes."""
        return timedelta(seconds=self.events / self.rate)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as it is stored with the replay."""
        return {
            "artifact": self.artifact,
            "first": self.between.first.isoformat(),
            "after": self.between.after.isoformat(),
            "stretches": [asdict(stretch) for stretch in self.stretches],
            "events": self.events,
        }

    def markdown(self) -> str:
        """Return the plan for people."""
        from headwater.replay.backfill_telling import plan_in_markdown
        from headwater.replay.telling import table_of

        return plan_in_markdown(self, table_of(self.stretches))

    def summary(self) -> str:
        """Return the plan for a page that has little room: by topic, not by partition."""
        from headwater.replay.backfill_telling import plan_in_markdown
        from headwater.replay.telling import topics_of

        return plan_in_markdown(self, topics_of(self.stretches))

    def refuse(self) -> None:
        """Raise if this plan may not be run."""
        if self.refusals:
            raise Refusal(
                f'view "{self.view}" cannot be backfilled like this',
                detail=" ".join(self.refusals),
                hint="Ask for another stretch of time, or wait for what is in the way; then ask again.",
            )


def plan_with(
    settings: Settings, registry: Connection, request: ReplayRequest, artifact: Artifact
) -> BackfillPlan:
    """Look at registry, log and table, and say what a backfill would do. Changes nothing."""
    live = releases.live_version(registry, request.view)
    declared = declared_in(artifact, request.view)
    _refuse_without_windows(request.view, declared)
    lateness = timedelta(seconds=declared["lateness_seconds"])
    own = request.own_lateness
    admits = own is not None and own > lateness and declared["leaves_out_late"]
    waits = own if own is not None and admits else lateness
    of = _ingredients(declared, own if admits else None)
    newest = _newest_batch(settings, live)
    with admin_client(settings, Replaying.reader) as client:
        between, asked = _between(settings, client, of, request, waits)
        found = needed(settings, client, of, between, newest.offsets)
        size = size_of(client, found.stretches, found.held)
    closed_until = _heard_until(settings, declared, found, newest) - waits
    if declared["mode"] == "append" and newest.batch is not None:
        # Rows that are only appended appear when the watermark has passed them.
        closed_until = min(closed_until, checkpoints.watermark(settings, live["checkpoint"], newest.batch))
    rate = replays.measured_rate(registry, BACKFILL)
    planned = BackfillPlan(
        view=request.view,
        live=live["label"],
        artifact=artifact.hash,
        between=between,
        window=timedelta(seconds=declared["window_seconds"]),
        lateness=lateness,
        own_lateness=own,
        admits=admits,
        stretches=found.stretches,
        size=size,
        rate=rate or ASSUMED_RATE,
        measured=rate is not None,
        publishes=declared["publishes"],
        dependants=tuple(dependants(artifact, request.view)),
        refusals=(*asked, *found.refusals),
    )
    others = _refusals(registry, planned, live, declared, closed_until)
    return replace(planned, refusals=(*planned.refusals, *others))


def _refuse_without_windows(view: str, declared: Mapping[str, Any]) -> None:
    if not declared["inputs"]:
        raise Refusal(
            f'view "{view}" has no windows to backfill',
            detail="It is of tables alone: a row of it is what is so now, not what happened when.",
            hint="Rebuild it instead.",
        )


def _ingredients(declared: Mapping[str, Any], own_lateness: timedelta | None) -> Ingredients:
    of = Ingredients.read(declared)
    return replace(of, settles=own_lateness) if own_lateness and of.settles is not None else of


def _newest_batch(settings: Settings, live: Mapping[str, Any]) -> time_travel.Moment:
    """Return the newest batch of the live query: how far it has read."""
    from headwater import lake  # with it comes pyiceberg, which takes a second

    table = lake.table(settings, live["table_name"])
    for moment in time_travel.newest_first(table) if table else ():
        if moment.batch is not None:
            return moment
    raise Refusal(f'view "{live["view"]}" has no rows yet', hint="Wait for its first batch.")


def _between(
    settings: Settings, client: KafkaAdminClient, of: Ingredients, request: ReplayRequest, waits: timedelta
) -> tuple[Between, list[str]]:
    """Return the stretch of time that is asked for, and why it cannot be."""
    until = request.until or ""
    first, after = time_in(request.start), time_in(until)
    if first is not None and after is not None:
        return Between(first=max(first, LONG_AGO), after=max(after, LONG_AGO)), []
    begins = resolve(settings, client, of.inputs, request.start)
    ends = resolve(settings, client, of.inputs, until)
    refusals = [part.refusal for part in (*begins, *ends) if part.refusal]
    # Without any record before, windows are whole however early their events happened.
    first = seam(settings, request.start, begins, of.look_back) or (
        min(first_received(settings, part) for part in begins) - CLOCK_TOLERANCE - OLDEST
    )
    after = min(first_received(settings, part) for part in ends) - waits
    return Between(first=first, after=max(after, LONG_AGO)), refusals


def _heard_until(
    settings: Settings, declared: Mapping[str, Any], found: Needed, newest: time_travel.Moment
) -> datetime:
    """Return up to when the live query has heard of all that was received."""
    next_ones = [
        (part.topic, part.partition, newest.offsets.get(part.topic, {}).get(str(part.partition), 0))
        for part in found.held
        if part.topic in declared["inputs"]
    ]
    ends = {(part.topic, part.partition): part.end for part in found.held}
    unread = [place for place in next_ones if place[2] < ends[place[:2]]]
    return min(peeking.received_at(settings, unread).values(), default=datetime.now(UTC))


def _refusals(
    registry: Connection,
    planned: BackfillPlan,
    live: Mapping[str, Any],
    declared: Mapping[str, Any],
    closed_until: datetime,
) -> Iterator[str]:
    if planned.starts.empty:
        yield f"No window of {planned.window} lies wholly inside."
    if planned.between.after > closed_until:
        yield (
            f"Windows are closed up to {closed_until:%Y-%m-%d %H:%M:%S} UTC: of later ones, more events may "
            "still come."
        )
    if live["fingerprint"] != declared["fingerprint"]:
        yield (
            f"The code as it is now has other logic than {planned.live}: rows of both would be mixed. "
            "Changed logic is a rebuild."
        )
    if (other := replays.open_replay(registry, planned.view)) is not None:
        yield replays.under_way(other)
