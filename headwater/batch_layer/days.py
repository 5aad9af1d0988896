"""Days of the batch layer: which are held, for each version of a view, and which are due.

A day belongs to the version that it was computed for. After a promotion the days of the old version are still
known, and are served again if readers go back; the new version begins with none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

from headwater.errors import Refusal
from headwater.replay.proof import Difference
from headwater.serving import DAY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from headwater.registry import Connection

    Offsets = Mapping[str, Mapping[str, int]]  # topic -> partition -> offset

# How far a first run looks back. A day of a view that corrects its rows is closed after two more; older days
# are computed when somebody asks for them.
RECENT = 4


class NotYet(Refusal):
    """A day cannot be had now, and can be later without anybody's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDay:
    """A day that the batch layer holds."""

    day: date
    rows: int
    offsets: Offsets  # up to where the log was read
    difference: Difference  # from the speed layer, where that is `live`
    computed_at: datetime
    served: bool = True  # unless a person has withdrawn it

    @property
    def differs(self) -> bool:
        """Whether readers have it, and more rows differ than the view allows."""
        return self.served and self.difference.share > self.difference.budget


def held(registry: Connection, query: str) -> dict[date, HeldDay]:
    """Return the days that are held of a version, in order."""
    found = registry.execute("SELECT * FROM batch_days WHERE query = %s ORDER BY day", [query])
    return {
        row["day"]: HeldDay(
            day=row["day"],
            rows=row["rows"],
            offsets=row["offsets"],
            difference=Difference.model_validate(row["difference"]),
            computed_at=row["computed_at"],
            served=row["served"],
        )
        for row in found
    }


def keep(
    registry: Connection, query: str, day: date, rows: int, offsets: Offsets, difference: Difference
) -> None:
    """Enter a day of a version, to be served, in place of what was known of it."""
    registry.execute(
        """
        INSERT INTO batch_days (query, day, rows, offsets, difference) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (query, day) DO UPDATE SET
            rows = excluded.rows, offsets = excluded.offsets, difference = excluded.difference,
            computed_at = now(), served = true
        """,
        [query, day, rows, Jsonb(offsets), Jsonb(difference.model_dump(mode="json"))],
    )


def due(known: Mapping[date, HeldDay], today: date) -> list[date]:
    """Return the days to compute: those that are over and not held, and those that differed the last time.

    From the newest day that is held on, so that nights without a run leave no hole.
    """
    first = today - RECENT * DAY
    if known:
        first = min(first, max(known) + DAY)
    over = [first + number * DAY for number in range((today - first).days)]
    differing = [day for day, found in known.items() if found.differs]
    return sorted({*differing, *(day for day in over if day not in known)})
