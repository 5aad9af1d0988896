"""Erasing a person: their key is destroyed, what they left in the clear is removed, and a scan proves it.

    begin      write down what to look for, and destroy the key: from here on nobody can read what is sealed
    forget     delete the person's rows in the shop's database, and write tombstones
    clean      remove what was never sealed, from quarantine, late events, the cold log, reports and samples
    prove      look for the person's words in every file of the instance, until none is found

Each step may be asked for again, and goes on where the last attempt came to. See docs/erasure.md for what is
covered, and what is not.
"""

from headwater.erasure.erasing import begin, clean, erase, forget
from headwater.erasure.proving import prove, status

__all__ = ["begin", "clean", "erase", "forget", "prove", "status"]
