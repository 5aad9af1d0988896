"""What a simulation has sent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.shop.record import Record


@dataclass(slots=True)
class Counts:
    """Records by kind, and malformed ones by flaw; they grow while the simulation runs."""

    by_kind: Counter[str] = field(default_factory=Counter)
    by_flaw: Counter[str] = field(default_factory=Counter)

    @property
    def sent(self) -> int:
        """Return the number of all records."""
        return self.by_kind.total()

    def add(self, record: Record) -> None:
        """Count a record."""
        self.by_kind[record.kind] += 1
        if record.flaw:
            self.by_flaw[record.flaw] += 1

    def __str__(self) -> str:
        kinds = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in self.by_kind.most_common())
        return f"{self.sent:,} records" + (f": {kinds}" if kinds else "")
