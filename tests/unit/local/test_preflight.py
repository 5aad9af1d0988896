from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local import preflight, processes
from headwater.local.users import unprivileged_user
from headwater.local.variables import Variables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BASE = 19000  # no instance is given these ports


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", BASE + 32))
        listener.listen()
        yield BASE + 32


def variables(home: Path) -> Variables:
    return Variables(instance="example", home=str(home), port_base=BASE)


def test_taken_port_is_refused_naming_who_wants_it_and_who_has_it(taken_port: int, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=f"port {taken_port} is taken") as refused:
        preflight.check_ports(tmp_path, variables(tmp_path))
    assert "postgres wants it" in refused.value.detail
    assert f"process {os.getpid()}" in refused.value.detail
    assert "HEADWATER_PORT_BASE" in refused.value.hint


def test_free_ports_are_fine(tmp_path: Path) -> None:
    preflight.check_ports(tmp_path, variables(tmp_path))


def test_port_held_by_the_instance_itself_is_fine(tmp_path: Path) -> None:
    with marked_listener(tmp_path, BASE + 32):
        preflight.check_ports(tmp_path, variables(tmp_path))


def test_folder_closed_to_the_user_of_postgres_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    user = unprivileged_user()
    if user is None:  # not root: PostgreSQL runs as ourselves, and we can enter
        preflight.check_reachable(tmp_path / "main", user)
        return
    with pytest.raises(Refusal, match=f'user "{user.name}" cannot enter') as refused:
        preflight.check_reachable(tmp_path / "main", user)
    assert "chmod o+x" in refused.value.hint


def test_name_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="too long"):
        preflight.check_length(tmp_path / ("x" * 80))


def test_machine_without_a_pinned_postgres_is_refused() -> None:
    with pytest.raises(Refusal, match="aarch64"):
        preflight.check_machine("aarch64")


@contextmanager
def marked_listener(home: Path, port: int) -> Iterator[None]:
    """Run a process of the instance at `home` that listens on a port."""
    code = (
        "import socket, sys; s = socket.socket(); "
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); "
        f"s.bind(('127.0.0.1', {port})); s.listen(); print('ready', flush=True); sys.stdin.read()"
    )
    mark = {processes.MARK: processes.mark(home, "postgres")}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=mark, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        process.kill()
