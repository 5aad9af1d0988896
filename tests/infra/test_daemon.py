"""supervisord for real, with programs of a few lines in place of the parts."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local import daemon, processes
from headwater.local.part import wait_until_ready
from headwater.local.record import Part, Program
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STUBBORN_CHILD = """
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setsid()  # out of the group, like a worker that wants to outlive its parent
while True:
    time.sleep(60)
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    daemon.start_daemon(tmp_path)
    yield tmp_path
    daemon.stop_daemon(tmp_path)


def part(home: Path, command: list[str]) -> Part:
    program = Program(command=command, environment={}, port=None, stop_signal="TERM", stop_seconds=5)
    programs = {"example": program}
    return Part(
        name="spark", home=home, files={}, programs=programs, facts={}, unprivileged=False, deadline=60
    )


def start(home: Path, *command: str) -> Part:
    started = part(home, list(command))
    daemon.add_part(started, started.programs)
    return started


def runs(home: Path) -> bool:
    return [state["statename"] for state in daemon.program_states(home)] == ["RUNNING"]


def pids(home: Path) -> list[int]:
    return processes.processes_of_part(home, "spark")


def test_removed_part_leaves_no_process_not_even_a_stubborn_child(home: Path) -> None:
    (home / "stubborn.py").write_text(STUBBORN_CHILD)
    start(home, sys.executable, f"{home}/stubborn.py")
    wait_for("both processes", lambda: len(pids(home)) == 2)
    daemon.remove_part(home, "spark")
    assert pids(home) == []
    assert daemon.program_states(home) == []


def test_killed_program_is_started_again(home: Path) -> None:
    start(home, "sleep", "1000")
    wait_for("the process", lambda: runs(home))
    (before,) = pids(home)
    os.kill(before, signal.SIGKILL)
    wait_for("the process", lambda: len(pids(home)) == 1 and pids(home) != [before])


def test_stopped_daemon_leaves_no_process(home: Path) -> None:
    start(home, "sleep", "1000")
    wait_for("the process", lambda: len(pids(home)) == 1)
    daemon.stop_daemon(home)
    assert processes.processes_of_instance(home) == []


def test_daemon_that_was_killed_comes_back_without_a_second_copy_of_its_programs(home: Path) -> None:
    start(home, "sleep", "1000")
    wait_for("the process", lambda: len(pids(home)) == 1)
    (daemon_pid,) = processes.processes_of_part(home, "supervisord")
    os.kill(daemon_pid, signal.SIGKILL)
    wait_for("the end of the daemon", lambda: not daemon.answers(home))
    daemon.start_daemon(home)
    wait_for("the process", lambda: runs(home))
    assert len(pids(home)) == 1


def test_part_that_keeps_failing_is_refused_with_the_end_of_its_log(home: Path) -> None:
    failing = start(home, "sh", "-c", "echo out of luck; exit 1").model_copy(
        update={"facts": {"ui_url": "http://127.0.0.1:1", "workers": "1"}}
    )
    with pytest.raises(Refusal, match="keeps failing") as refused:
        wait_until_ready(failing)
    assert "out of luck" in refused.value.hint


def test_programs_do_not_inherit_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for them")
    daemon.start_daemon(tmp_path)
    try:
        start(tmp_path, "sleep", "1000")
        wait_for("the process", lambda: len(pids(tmp_path)) == 1)
        (pid,) = pids(tmp_path)
        with open(f"/proc/{pid}/environ") as environment:
            assert "not for them" not in environment.read()
    finally:
        daemon.stop_daemon(tmp_path)


def test_socket_is_for_its_owner_only(home: Path) -> None:
    assert (home / "supervisor/socket").stat().st_mode & 0o077 == 0
