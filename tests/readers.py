"""Somebody who reads over and over while a test changes what there is to read."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

A_FEW = 2  # reads: the first may have begun before the change


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Readers in a loop, and what each has seen. What goes wrong with one of them goes wrong in the test."""

    seen: dict[str, list[Any]]
    stop: threading.Event
    loops: list[Future[None]]

    def wait_for_a_few_reads(self) -> None:
        before = {name: len(reads) for name, reads in self.seen.items()}
        while any(len(reads) < before[name] + A_FEW for name, reads in self.seen.items()):
            self.raise_errors()
            self.stop.wait(0.01)

    def raise_errors(self) -> None:
        for loop in self.loops:
            if loop.done():
                loop.result()


@contextmanager
def reading(**ways: Callable[[], Any]) -> Iterator[Readers]:
    """Let somebody read in each of these ways until the block is left."""
    stop, seen = threading.Event(), {name: list[Any]() for name in ways}

    def loop(name: str) -> None:
        while not stop.is_set():
            seen[name].append(ways[name]())

    with ThreadPoolExecutor(len(ways)) as threads:
        readers = Readers(seen=seen, stop=stop, loops=[threads.submit(loop, name) for name in ways])
        try:
            yield readers
        finally:
            stop.set()
    readers.raise_errors()
