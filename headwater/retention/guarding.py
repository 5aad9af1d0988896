"""A look at every query, also of apps that are stopped or given up: theirs are the records that go unread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import alarms, observing
from headwater.errors import Refusal
from headwater.registry import connect
from headwater.retention.observing import margins

if TYPE_CHECKING:
    from headwater.retention.margins import Margin
    from headwater.settings import Settings

KIND = "retention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """A query that is about to lose records, or has lost some."""

    query: str
    margin: Margin

    @property
    def message(self) -> str:
        """What its alarm says."""
        return f'query "{self.query}": {self.margin}'

    def __str__(self) -> str:
        return f"{self.message}; see {alarms.runbook_of(KIND)}"


def of_queries(settings: Settings) -> dict[str, Margin]:
    """Return the tightest margin of every query that belongs to an app."""
    with connect(settings) as registry:
        reached = {beat["query"]: beat["offsets"] or {} for beat in observing.assigned(registry)}
    return margins(settings, reached)


def look_after(settings: Settings) -> list[Danger]:
    """Look once; raise an alarm for each query in danger, clear those that are over."""
    try:
        found = of_queries(settings)
    except Refusal:  # Kafka does not answer: then nothing is known, and nothing over
        return []
    dangers = [Danger(query=query, margin=margin) for query, margin in found.items() if margin.tight]
    for danger in dangers:
        alarms.raise_alarm(settings, danger.query, KIND, danger.message)
    _clear(settings, {danger.query for danger in dangers})
    return dangers


def _clear(settings: Settings, in_danger: set[str]) -> None:
    with connect(settings) as registry:
        told = {alarm["subject"] for alarm in alarms.open_alarms(registry) if alarm["kind"] == KIND}
    for query in told - in_danger:
        alarms.clear(settings, query, KIND)
