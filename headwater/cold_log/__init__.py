"""The cold log: every record of every topic, kept in the lake for ever, as the control plane sees it.

`spark_apps/archiving.py` writes it. What it holds stands in its newest commit; nothing else is remembered.
"""

from headwater.cold_log.checking import Finding, check
from headwater.cold_log.holding import Archived, Holding
from headwater.cold_log.reading import held, received_at, since

__all__ = ["Archived", "Finding", "Holding", "check", "held", "received_at", "since"]
