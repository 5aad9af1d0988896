"""Retention: Kafka lets go what is old, read or not; how much time has a query.

log       [ beginning · · · · · · · reached · · · · · · · · · · end )
          └─ goes first: bytes left ─┘└─ unread ───────────────────┘
          the first unread record goes when it is older than the retention: time left
"""

from headwater.retention.guarding import look_after, of_queries
from headwater.retention.margins import Margin, Partition, margin, tightest
from headwater.retention.observing import margins, usage

__all__ = ["Margin", "Partition", "look_after", "margin", "margins", "of_queries", "tightest", "usage"]
