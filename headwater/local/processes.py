"""Processes and listeners, read from /proc: who holds a port, what an instance has left running.

Standard library only: the checks before the set-up use it too. Every process of an instance carries a mark in
its environment, which its children inherit. Process groups and parents are no substitute: a group can be
left, and children of a killed parent are adopted by init.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MARK = "HEADWATER_SUPERVISED"
PROC = Path("/proc")
LISTEN = "0A"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A listening TCP socket."""

    address: str
    port: int
    inode: str


def mark(home: Path, part: str) -> str:
    """Return the value of the mark for a part of the instance at `home`."""
    return f"{home}:{part}"


def processes_of_part(home: Path, part: str) -> list[int]:
    """Return the processes of one part of an instance."""
    wanted = f"{MARK}={mark(home, part)}".encode()
    return [pid for pid in _pids() if wanted in _environment(pid)]


def processes_of_instance(home: Path) -> list[int]:
    """Return all processes of an instance: the marked ones, and those that run a program from its home."""
    start = f"{MARK}={mark(home, '')}".encode()
    return [
        pid
        for pid in _pids()
        if any(variable.startswith(start) for variable in _environment(pid))
        or home in _executable(pid).parents
    ]


def listeners() -> list[Listener]:
    """Return every listening TCP socket of the machine."""
    return [*_read_listeners(PROC / "net/tcp"), *_read_listeners(PROC / "net/tcp6")]


def listeners_of(pids: Iterable[int]) -> list[Listener]:
    """Return the listening sockets that any of these processes holds."""
    inodes = {inode for pid in pids for inode in _socket_inodes(pid)}
    return [listener for listener in listeners() if listener.inode in inodes]


def holder(port: int) -> int | None:
    """Return the process that listens on a port; None if /proc does not tell, as for another user's."""
    inodes = {listener.inode for listener in listeners() if listener.port == port}
    return next((pid for pid in _pids() if inodes & _socket_inodes(pid)), None)


def describe(pid: int) -> str:
    """Return a process as a person would name it: `nginx (process 4711)`."""
    try:
        name = (PROC / str(pid) / "comm").read_text().strip()
    except OSError:
        name = "a process"
    return f"{name} (process {pid})"


@contextmanager
def ending(pids: Iterable[int], *, patience: float = 10.0) -> Iterator[None]:
    """Hold on to processes while the caller stops them, and leave when they have ended.

    Those that the caller has not stopped are asked to end, and killed if they do not listen.
    """
    with _handles(pids) as handles:
        yield
        _send(_wait(handles, 1.0), signal.SIGTERM)
        _send(_wait(handles, patience), signal.SIGKILL)
        _wait(handles, patience)


def end(pids: Iterable[int]) -> None:
    """End processes that nobody else will stop."""
    with ending(pids):
        pass


@contextmanager
def _handles(pids: Iterable[int]) -> Iterator[list[int]]:
    """Hold on to processes by descriptor: a number may be given to another process, a descriptor never is."""
    handles = []
    for pid in pids:
        with suppress(ProcessLookupError):
            handles.append(os.pidfd_open(pid))
    try:
        yield handles
    finally:
        for handle in handles:
            os.close(handle)


def _send(handles: Iterable[int], number: signal.Signals) -> None:
    for handle in handles:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, number)


def _wait(handles: list[int], patience: float) -> list[int]:
    """Wait for processes to end; return the handles of those that have not."""
    deadline = time.monotonic() + patience
    alive = set(handles)
    while alive and (left := deadline - time.monotonic()) > 0:
        poll = select.poll()
        for handle in alive:
            poll.register(handle, select.POLLIN)
        alive -= {handle for handle, _ in poll.poll(left * 1000)}
    return sorted(alive)


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def _environment(pid: int) -> list[bytes]:
    try:
        return (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is another user's
        return []


def _executable(pid: int) -> Path:
    try:
        return Path(os.readlink(PROC / str(pid) / "exe"))
    except OSError:
        return Path("/")


def _socket_inodes(pid: int) -> set[str]:
    inodes = set()
    with suppress(OSError):
        for descriptor in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                target = os.readlink(descriptor)
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    return inodes


def _read_listeners(table: Path) -> Iterator[Listener]:
    with suppress(FileNotFoundError):  # no IPv6 on this machine
        for line in table.read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTEN:
                address, port = fields[1].split(":")
                yield Listener(address=_address(address), port=int(port, 16), inode=fields[9])


def _address(hexadecimal: str) -> str:
    """Turn the kernel's notation (words of 4 bytes, each in the machine's order) into the usual one."""
    words = [bytes.fromhex(hexadecimal[i : i + 8])[::-1] for i in range(0, len(hexadecimal), 8)]
    raw = b"".join(words)
    if len(raw) == 4:
        return socket.inet_ntop(socket.AF_INET, raw)
    return socket.inet_ntop(socket.AF_INET6, raw).removeprefix("::ffff:")
