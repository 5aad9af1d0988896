"""What a piece of work costs: seconds, seconds of processors, and the most memory at any time."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EVERY_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was spent."""

    seconds: float
    cpu_seconds: float
    peak_gigabytes: float


def cost_of(work: Callable[[], object], processes: Sequence[psutil.Process]) -> Cost:
    """Do some work, and return what it cost these processes."""
    done, peaks = threading.Event(), [0]

    def look() -> None:
        while not done.wait(EVERY_SECONDS):
            peaks.append(_memory(processes))

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    began, spent = time.monotonic(), _cpu_seconds(processes)
    try:
        work()
        seconds, cpu_seconds = time.monotonic() - began, _cpu_seconds(processes) - spent
    finally:
        done.set()
        looking.join()
    return Cost(seconds=seconds, cpu_seconds=cpu_seconds, peak_gigabytes=max(peaks) / 1e9)


def warm_cost_of(work: Callable[[], object], processes: Sequence[psutil.Process]) -> Cost:
    """Do some work twice, and return what the second time cost: the first one finds everything cold."""
    work()
    return cost_of(work, processes)


def this_process() -> list[psutil.Process]:
    """Return this process alone."""
    return [psutil.Process()]


def this_process_and_spark() -> list[psutil.Process]:
    """Return this process and the JVM that it has started, which is Spark's driver and executor in one."""
    children = psutil.Process().children(recursive=True)
    return [psutil.Process(), *(child for child in children if child.name() == "java")]


def _memory(processes: Sequence[psutil.Process]) -> int:
    return sum(process.memory_info().rss for process in processes)


def _cpu_seconds(processes: Sequence[psutil.Process]) -> float:
    return sum(times.user + times.system for times in (process.cpu_times() for process in processes))
