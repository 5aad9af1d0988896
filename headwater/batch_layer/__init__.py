"""The batch layer: closed days of views, computed once more from the cold log, and served with the rest.

    days        which days are held, and which are due: a table of the registry
    switching   a day goes from one layer to the other, in one transaction with what readers see
    telling     what a run has done, in words

`spark_apps/batch_layer.py` computes. See docs/batch-layer.md for when to use which layer.
"""

from headwater.batch_layer.days import HeldDay, NotYet, due, held
from headwater.batch_layer.switching import switch, withdraw
from headwater.batch_layer.telling import Outcome, keep_run, latest, refuse_what_failed, status

__all__ = [
    "HeldDay",
    "NotYet",
    "Outcome",
    "due",
    "held",
    "keep_run",
    "latest",
    "refuse_what_failed",
    "status",
    "switch",
    "withdraw",
]
