"""Spark: a standalone master and its workers."""

from __future__ import annotations

import json
import shutil
import urllib.request
from typing import TYPE_CHECKING

from headwater.local.kinds.kind import Kind

if TYPE_CHECKING:
    from headwater.local.record import Part


class Spark(Kind):
    """The cluster."""

    def prepare(self, part: Part) -> None:
        """Make the folders that master and workers write to."""
        for folder in ("recovery", "work"):
            (part.folder / folder).mkdir(exist_ok=True)

    def waiting_for(self, part: Part) -> str:
        """Ask the master how many workers have registered."""
        try:
            with urllib.request.urlopen(f"{part.facts['ui_url']}/json/", timeout=5) as answer:
                status = json.load(answer)
        except OSError as error:
            return f"The Spark master does not answer: {error}"
        alive = [worker for worker in status["workers"] if worker["state"] == "ALIVE"]
        wanted = int(part.facts["workers"])
        if status["status"] != "ALIVE":
            return f"The Spark master is {status['status']}."
        return "" if len(alive) >= wanted else f"{len(alive)} of {wanted} Spark workers have registered."

    def forget(self, part: Part) -> None:
        """Let a stopped master forget its drivers: whoever starts the platform decides what runs on it.

        After a crash or a reboot nothing calls this, and the master takes up where it was.
        """
        shutil.rmtree(part.folder / "recovery", ignore_errors=True)
