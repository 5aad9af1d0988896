"""What must hold before anything is started: one check each, one clear sentence with the cure.

Standard library only, because it runs before the Python environment exists.
"""

from __future__ import annotations

import errno
import platform
import socket
import subprocess
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.local import processes, room
from headwater.local.ports import wanted_ports
from headwater.local.tools import check_java, check_terraform
from headwater.local.users import User, unprivileged_user
from headwater.local.variables import Variables, choose_variables
from headwater.waiting import wait_until_nothing_is_missing

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_HOME = 80
MOMENT = 2.0


def check(home: Path) -> None:
    """Refuse, before anything is started, what would fail half-way."""
    check_machine(platform.machine())
    check_java()
    check_terraform()
    check_length(home)
    room.check([room.instance(home), *room.environment(), *room.jvm_parts()])
    check_reachable(home, unprivileged_user())
    check_ports(home, choose_variables(home))


def check_machine(machine: str) -> None:
    """Refuse a machine that the pinned PostgreSQL is not built for."""
    if machine not in ("x86_64", "AMD64"):
        raise Refusal(
            f"this machine is of type {machine}",
            detail="The pinned PostgreSQL is built for x86_64.",
            hint="Change the artifact in infra/jvm/ivy.xml to the one of your machine, and run `make lock`.",
        )


def check_length(home: Path) -> None:
    """Refuse a home whose name leaves no room for the address of a Unix socket."""
    if len(str(home)) > LONGEST_HOME:
        raise Refusal(
            "the folder's name is too long",
            detail=f"{home} has {len(str(home))} characters; a Unix socket in it allows {LONGEST_HOME}.",
            hint="Name a shorter place with HEADWATER_DATA.",
        )


def check_reachable(home: Path, user: User | None) -> None:
    """Refuse a folder that PostgreSQL's user cannot enter. Asked of the system, which knows of ACLs too."""
    if user is None:
        return
    for folder in reversed(home.parents):
        command = ["test", "-x", str(folder)]
        if subprocess.run(command, user=user.uid, group=user.gid, extra_groups=[], check=False).returncode:
            raise Refusal(
                f'user "{user.name}" cannot enter {folder}',
                detail=f"PostgreSQL refuses root, so it runs as {user.name}, with its data in {home}.",
                hint=f"Run `chmod o+x {folder}`, or name another place with HEADWATER_DATA.",
            )


def check_ports(home: Path, variables: Variables) -> None:
    """Refuse ports that someone else listens on."""
    ports = wanted_ports(variables.port_base, brokers=variables.brokers, workers=variables.workers)
    for port, part in ports.items():
        if _taken_by_others(port, home):
            pid = processes.holder(port)
            who = processes.describe(pid) if pid else "another process"
            raise Refusal(
                f"port {port} is taken",
                detail=f"{part} wants it; {who} listens on it.",
                hint="Stop that, or choose other ports with HEADWATER_PORT_BASE (a multiple of 100).",
            )


def _taken_by_others(port: int, home: Path) -> bool:
    """Tell whether others hold a port, and not for a moment only: a killed process lets go a little later."""

    def holder() -> str:
        return "someone" if _taken(port) and not _ours(port, home) else ""

    return bool(wait_until_nothing_is_missing(holder, MOMENT))


def _ours(port: int, home: Path) -> bool:
    return processes.holder(port) in processes.processes_of_instance(home)


def _taken(port: int) -> bool:
    with socket.socket() as attempt:
        attempt.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # closed connections linger; they do no harm
        try:
            attempt.bind(("127.0.0.1", port))
            attempt.listen()
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False
