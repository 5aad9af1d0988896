"""How large an app is: what it asks a cluster for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    Properties = Mapping[str, str]  # of Spark

CORES, MEMORY = "spark.executor.cores", "spark.executor.memory"
SMALLEST = 768  # megabytes: with less, an executor has hardly room for anything but itself


def apart(app: Properties) -> dict[str, str]:
    """Return the properties of an app that runs a single version: in executors of one core each.

    As many cores as any other app, and the memory of one executor shared among them; so it can be throttled
    core by core while it runs.
    """
    cores = int(app.get(CORES, "1"))
    each = max(megabytes(app[MEMORY]) // cores, SMALLEST) if MEMORY in app else SMALLEST
    return {**app, CORES: "1", MEMORY: f"{each}m"}


def megabytes(size: str) -> int:
    """Read a size as Spark writes it: 768m, 2g."""
    return int(size[:-1]) * {"m": 1, "g": 1024}[size[-1].lower()]
