"""Supervision: what should run against what runs, in short ticks that remember nothing themselves."""

from headwater.supervision.acting import Done, bring_about, tick
from headwater.supervision.looking import look_after_everything

__all__ = ["Done", "bring_about", "look_after_everything", "tick"]
