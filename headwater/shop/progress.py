"""A line now and then about how far a simulation is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.shop.counts import Counts

EVERY_SECONDS = 10


class Progress:
    """Reports what was sent, and the rate since the last report."""

    def __init__(self, counts: Counts, report: Callable[[str], object]) -> None:
        self.counts, self.report = counts, report
        self.began = self.reported = time.monotonic()
        self.sent = 0

    def tick(self) -> None:
        """Report if the last report was some time ago."""
        now = time.monotonic()
        if now - self.reported >= EVERY_SECONDS:
            rate = (self.counts.sent - self.sent) / (now - self.reported)
            self.report(f"sent {self.counts.sent:,} records, {rate:,.1f} a second")
            self.reported, self.sent = now, self.counts.sent

    def end(self) -> None:
        """Report the whole."""
        seconds = time.monotonic() - self.began
        self.report(f"sent {self.counts} in {seconds:,.1f} seconds")
