"""Maintenance: small files, old snapshots, stray files, versions that were let go, unneeded code.

    plan       a pure function: what can be seen of the tables → steps
    do         by Spark (`spark_apps/maintaining.py`), beside the live queries, without failing them
    tell       what was done, or would be, is a row of the registry and the note of the DAG

See docs/maintenance.md for what is kept how long.
"""

from headwater.maintenance.planning import Partition, Policy, Snapshot, Step, Table, plan
from headwater.maintenance.telling import Outcome, in_markdown, latest

__all__ = [
    "Outcome",
    "Partition",
    "Policy",
    "Snapshot",
    "Step",
    "Table",
    "in_markdown",
    "latest",
    "plan",
]
