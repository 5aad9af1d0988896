from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from headwater.local import processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEAF = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); signal.pause()"
)


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of the instance's part "kafka" that does not listen when asked to end."""
    mark = {processes.MARK: processes.mark(tmp_path, "kafka")}
    with subprocess.Popen([sys.executable, "-c", DEAF], env=mark, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_process_is_found_by_its_mark(deaf: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert processes.processes_of_part(tmp_path, "kafka") == [deaf.pid]
    assert processes.processes_of_instance(tmp_path) == [deaf.pid]


def test_process_of_another_part_or_instance_is_not_found(
    deaf: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert processes.processes_of_part(tmp_path, "spark") == []
    assert processes.processes_of_instance(tmp_path / "other") == []
    assert processes.processes_of_instance(tmp_path.with_name(tmp_path.name[:-1])) == []


def test_process_that_does_not_listen_is_killed(deaf: subprocess.Popen[bytes]) -> None:
    with processes.ending([deaf.pid], patience=0.2):
        pass
    assert deaf.wait(timeout=10) == -signal.SIGKILL


def test_end_of_a_process_that_is_gone_is_no_error() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    processes.end([gone.pid])


def test_listener_is_found_with_its_holder() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert processes.holder(port) == os.getpid()
        ours = [found for found in processes.listeners_of([os.getpid()]) if found.port == port]
        assert [found.address for found in ours] == ["127.0.0.1"]
