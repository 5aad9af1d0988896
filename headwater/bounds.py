"""How far times may lie apart: what the engine decides by, and the control plane plans with."""

from __future__ import annotations

from datetime import timedelta

# A clock that is off by a day or more is not corrected but refused: it is more likely broken than slow.
CLOCK_TOLERANCE = timedelta(days=1)
# An event that a device held back for longer than this is refused. It bounds what a view must remember.
OLDEST = timedelta(days=1)
# Between the first sighting of an event and one that counts as its repeat (see `spark_apps/repeats.py`).
CELL = timedelta(minutes=10)
