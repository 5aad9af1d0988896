"""The life of an instance, told on a second one beside the first: up, power cut, up again, down, clean."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from rich.console import Console

from headwater.errors import Refusal
from headwater.local import platform, processes
from headwater.local.parts import observe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


@pytest.fixture(scope="module")
def second(instance: Settings) -> Iterator[Settings]:
    home = Path(instance.home).with_name(f"{instance.instance}-second")
    platform.clean(home)
    yield platform.up(home, steps=[])
    platform.clean(home)


def test_two_instances_live_side_by_side(instance: Settings, second: Settings) -> None:
    for settings in (instance, second):
        assert {status.state for status in observe(settings)} == {"running"}
    assert second.kafka_bootstrap_servers != instance.kafka_bootstrap_servers


def test_up_on_a_running_instance_changes_nothing_and_says_so(second: Settings) -> None:
    before = [(status.name, status.pid) for status in observe(second)]
    said = console()
    platform.up(Path(second.home), said, steps=[])
    assert "nothing to change" in text(said)
    assert [(status.name, status.pid) for status in observe(second)] == before


def test_up_refuses_a_port_of_another_instance(instance: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_PORT_BASE", str(instance.postgres_port - 32))
    third = Path(instance.home).with_name(f"{instance.instance}-third")
    with pytest.raises(Refusal, match=r"port \d+ is taken"):
        platform.up(third, console())
    third.rmdir()  # it is still empty: nothing was started


def test_up_after_a_power_cut_starts_everything_again_with_its_data(second: Settings) -> None:
    with psycopg.connect(second.postgres_dsn()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
    for pid in processes.processes_of_instance(Path(second.home)):
        os.kill(pid, signal.SIGKILL)
    said = console()
    platform.up(Path(second.home), said, steps=[])
    assert "started again" in text(said)
    assert {status.state for status in observe(second)} == {"running"}
    with psycopg.connect(second.postgres_dsn()) as connection:
        assert connection.execute("SELECT one FROM kept").fetchone() == (1,)


def test_down_leaves_data_and_no_process(instance: Settings, second: Settings) -> None:
    home = Path(second.home)
    ours = set(processes.processes_of_instance(home))
    platform.down(home, console())
    assert processes.processes_of_instance(home) == []
    assert [pid for pid in ours if runs(pid)] == []
    assert (home / "postgres/data/PG_VERSION").exists()
    assert {status.state for status in observe(instance)} == {"running"}


def test_clean_removes_what_an_instance_has_kept(second: Settings) -> None:
    platform.clean(Path(second.home), console())
    assert not Path(second.home).exists()


def runs(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for init to take note does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def console() -> Console:
    return Console(file=io.StringIO(), width=200)


def text(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
