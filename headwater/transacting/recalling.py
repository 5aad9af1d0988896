"""Reading back what was answered in a partition: the log is the only memory there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.topics.reading import committed

if TYPE_CHECKING:
    from headwater.settings import Settings
    from headwater.transacting.route import Route
    from headwater.transacting.work import Work


def recall(settings: Settings, route: Route, partition: int, work: Work) -> int:
    """Let work learn what was answered in a partition; return how many answers that were."""
    count = 0
    for topic in route.targets:
        for record in committed(settings, route.role, topic.name, partition):
            work.recall(record)
            count += 1
    return count
