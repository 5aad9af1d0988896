"""Supervision: what should run against what runs, in short ticks that remember nothing themselves."""

from headwater.supervision.acting import Done, bring_about, tick

__all__ = ["Done", "bring_about", "tick"]
