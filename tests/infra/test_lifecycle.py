"""The life of an instance, told on a second one beside the first: up, power cut, up again, down, clean.

It is what `make up` gives a newcomer, apps, customers and all, but with three brokers.
"""

from __future__ import annotations

import io
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from kafka import KafkaProducer
from rich.console import Console

from headwater import declared
from headwater.airflow_api import Airflow
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.local import platform, processes
from headwater.local.part import wait_until_ready
from headwater.local.parts import observe
from headwater.local.record import started_parts
from headwater.local.steps import SCHEDULED
from headwater.registry import connect, heartbeats
from headwater.topics import cluster
from tests.cluster.looking import program
from tests.end_to_end.looking import wait_for_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

BROKERS = 3
RECORDS = 30


@pytest.fixture(scope="module")
def second(instance: Settings) -> Iterator[Settings]:
    home = Path(instance.home).with_name(f"{instance.instance}-second")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TF_VAR_brokers", str(BROKERS))
        patch.delenv("TF_VAR_app_properties")  # the sizes and the pace that everybody gets
        platform.clean(home)
        yield platform.up(home)
        platform.clean(home)


def test_everything_that_a_newcomer_is_promised_runs(second: Settings) -> None:
    running = {status.part for status in observe(second) if status.state == "running"}
    assert running >= {"airflow", "connect", "kafka", "postgres", "spark", "shop", "carts", "notifier"}
    with connect(second) as registry:
        beats = heartbeats.all_heartbeats(registry)
    assert {beat["app"] for beat in beats} == set(declared.apps())
    airflow = Airflow(second)
    wait_for_answer("the schedules", lambda: not any(airflow.paused()[dag] for dag in SCHEDULED))


def test_acknowledged_record_outlives_the_death_of_a_broker(second: Settings) -> None:
    topic = "page_views"
    with admin_client(second, "admin") as admin:
        assert cluster.observe(admin).topics[topic].replication == BROKERS
    os.kill(program(second, "kafka-2"), signal.SIGKILL)
    with closing(KafkaProducer(**second.kafka_client("simulator"), acks="all")) as producer:
        for number in range(RECORDS):
            producer.send(topic, key=str(number).encode(), value=b"{}").get(timeout=60)
    (record,) = [part for part in started_parts(Path(second.home)) if part.name == "kafka"]
    wait_until_ready(record)


def test_two_instances_live_side_by_side(instance: Settings, second: Settings) -> None:
    for settings in (instance, second):
        assert {status.state for status in observe(settings)} == {"running"}
    assert second.kafka_bootstrap_servers != instance.kafka_bootstrap_servers


def test_up_on_a_running_instance_changes_nothing_and_says_so(second: Settings) -> None:
    before = [(status.name, status.pid) for status in observe(second)]
    said = console()
    platform.up(Path(second.home), said)
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
