"""The ports of an instance: a hundred of its own, below the range that the system hands out.

Standard library only: the checks before the set-up use it.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

from headwater.errors import Refusal
from headwater.settings import DEFAULT_INSTANCE, REPOSITORY

OFFSETS = REPOSITORY / "infra/environments/local/ports.json"
DEFAULT_BASE = 20000
FIRST, LAST, STEP = 20100, 32600, 100
PER_BROKER = ("kafka", "kafka_controller")
PER_WORKER = ("spark_worker_ui",)


def port_base(instance: str) -> int:
    """Return the first port of an instance: HEADWATER_PORT_BASE, or one that its name always gives."""
    if chosen := os.environ.get("HEADWATER_PORT_BASE"):
        return _checked(chosen)
    if instance == DEFAULT_INSTANCE:
        return DEFAULT_BASE
    places = (LAST - FIRST) // STEP + 1
    return FIRST + zlib.crc32(instance.encode()) % places * STEP


def wanted_ports(base: int, *, brokers: int = 1, workers: int = 1) -> dict[int, str]:
    """Return every port an instance listens on, with what wants it."""
    count = dict.fromkeys(PER_BROKER, brokers) | dict.fromkeys(PER_WORKER, workers)
    offsets: dict[str, int] = json.loads(Path(OFFSETS).read_text())
    return {
        base + offset + number: name.replace("_", " ")
        for name, offset in offsets.items()
        for number in range(count.get(name, 1))
    }


def _checked(chosen: str) -> int:
    base = int(chosen) if chosen.isdecimal() else 0
    if not 1100 <= base <= 65400 or base % STEP:
        raise Refusal(
            f'"{chosen}" cannot be the first port of an instance',
            detail="It is a multiple of 100 between 1100 and 65400: an instance has a hundred ports.",
            hint="Set HEADWATER_PORT_BASE to such a number, for example 21000.",
        )
    return base
