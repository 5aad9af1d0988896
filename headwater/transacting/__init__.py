"""Consume, process, produce, exactly once: what every service does that answers records with records.

    source ──► work ──► answers      one Kafka transaction: the answers, and how far the source was read
                 ▲          │
                 └──────────┘        what the work knows is what it has answered: recalled from there

A service says from which topic to which (`Route`) and what it answers (`Work`); taking partitions over,
recalling, writing and beginning again after an error are here, and the same for all.
"""

from headwater.transacting.route import Route
from headwater.transacting.running import run
from headwater.transacting.work import Answer, Work

__all__ = ["Answer", "Route", "Work", "run"]
