"""What the streaming queries are doing: how far behind the log they are, and how fresh their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from headwater import names, offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.registry import apps, connect, heartbeats, migrated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from headwater.registry import Connection
    from headwater.settings import Settings

Ends = Mapping[str, Mapping[int, int]]  # by topic and partition

# A driver beats every ten seconds; three times that without a beat, and nobody is there.
SILENT = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStatus:
    """One streaming query as a person wants to see it."""

    app: str
    query: str
    state: str  # waiting, writing history, catching up, live, paused, silent, stopped, or broken
    batch: int | None
    lag: int | None  # records that the log has and the query has not read
    behind: timedelta | None  # age of the newest record that it has read; zero if it has read all
    rows_per_second: float | None


def observe(settings: Settings) -> list[QueryStatus]:
    """Return every query that was ever started, and how it is."""
    with connect(settings) as registry:
        if not migrated(registry):
            return []
        beats = assigned(registry)
        wanted = {app["name"]: app for app in apps.all_apps(registry)}
        ends = ends_of_inputs(settings, registry)
    return [_status(beat, wanted[beat["app"]], ends) for beat in beats]


def assigned(registry: Connection) -> list[dict[str, Any]]:
    """Return the heartbeats of queries that belong to an app; those of versions let go are history."""
    queries = {app["name"]: app["queries"] for app in apps.all_apps(registry)}
    return [
        beat
        for beat in heartbeats.all_heartbeats(registry)
        if beat["app"] in queries and _is_assigned(beat["query"], queries[beat["app"]])
    ]


def _is_assigned(query: str, queries: Collection[str]) -> bool:
    version, _, _topic = query.partition(".late.")  # what a version keeps apart goes with it
    return not names.QUERY.fullmatch(version) or version in queries


def _status(beat: dict[str, Any], app: dict[str, Any], ends: Ends) -> QueryStatus:
    lag = lag_of(beat["offsets"], ends)
    return QueryStatus(
        app=beat["app"],
        query=beat["query"],
        state=_state(beat, app),
        batch=beat["batch_id"],
        lag=lag,
        behind=_behind(beat, lag),
        rows_per_second=beat["rows_per_second"],
    )


def _state(beat: dict[str, Any], app: dict[str, Any]) -> str:
    if app["desired"] == "stopped":
        return "stopped"
    if app["broken_at"]:
        return "broken"
    if beat["silence"] > SILENT:
        return "silent"
    return "paused" if app["cores"] == 0 else str(beat["phase"])


def ends_of_inputs(settings: Settings, registry: Connection) -> Ends:
    """Return where the topics end that any query has read."""
    beats = heartbeats.all_heartbeats(registry)
    return _ends(settings, {topic for beat in beats for topic in beat["offsets"] or {}})


def ends_of(settings: Settings, stretches: Iterable[Mapping[str, Any]]) -> Ends:
    """Return where the topics of a plan end by now."""
    return _ends(settings, {stretch["topic"] for stretch in stretches})


def lag_of(reached: Mapping[str, Mapping[str, int]] | None, ends: Ends) -> int | None:
    """Return how many records the log holds beyond what a query has read; None if nobody knows."""
    if reached is None or not reached.keys() <= ends.keys():
        return None
    return sum(
        end - reached[topic].get(str(part), 0) for topic in reached for part, end in ends[topic].items()
    )


def _behind(beat: dict[str, Any], lag: int | None) -> timedelta | None:
    if lag == 0:
        return timedelta(0)
    newest = beat["received_up_to"]
    return max(datetime.now(UTC) - newest, timedelta(0)) if newest else None


def _ends(settings: Settings, topics: set[str]) -> Ends:
    """Return the ends of topics; nothing when Kafka does not answer: a status must be had then, too."""
    if not topics:
        return {}
    try:
        with admin_client(settings, "apps") as client:
            return {topic: offsets.ends(client, topic) for topic in topics}
    except Refusal:
        return {}
