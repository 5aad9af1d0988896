"""What supervision does on the real cluster; every case of its decisions is in tests/unit/supervision."""

from __future__ import annotations

import json
import os
import signal
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaConsumer, TopicPartition

from headwater import alarms, apps, supervision
from headwater.engines import Standalone
from headwater.registry import apps as rows
from headwater.registry import connect, releases
from headwater.registry.wanted import changing
from headwater.supervision import deciding
from tests.cluster.looking import APP, driver_of, process
from tests.fixed_code import VIEW, change, copy_code, fix_view, pack
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from headwater.settings import Settings


def alerts(settings: Settings) -> list[dict[str, Any]]:
    """Return what is on the topic `alerts`."""
    place = TopicPartition(alarms.TOPIC, 0)
    consumer = KafkaConsumer(**settings.kafka_client("console"), enable_auto_commit=False)
    try:
        consumer.assign([place])
        consumer.seek_to_beginning(place)
        end = consumer.end_offsets([place])[place]
        found: list[dict[str, Any]] = []
        deadline = time.monotonic() + 30
        while consumer.position(place) < end and time.monotonic() < deadline:
            found += [json.loads(record.value) for record in consumer.poll(1000).get(place, [])]
    finally:
        consumer.close()
    return found


def test_driver_that_is_gone_is_started_again(instance: Settings, app: str) -> None:
    """Killed by hand through the master, so Spark itself does not start it again."""
    engine, before = Standalone(instance), driver_of(instance)
    engine.kill(before)
    wait_for("the end of the driver", lambda: not engine.running(before))
    assert [step.action for step in supervision.tick(instance, [APP])] == ["submit"]
    apps.wait_until_alive(instance, APP)
    assert driver_of(instance) != before
    assert supervision.tick(instance, [APP]) == []


def test_driver_that_hangs_is_replaced(instance: Settings, app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "SILENT", timedelta(seconds=20))
    before = driver_of(instance)
    for pid in (process(instance, "DriverWrapper"), process(instance, "artifacts", "stream", APP)):
        os.kill(pid, signal.SIGSTOP)
    done: list[supervision.Done] = []

    def replaced() -> bool:
        done.extend(supervision.tick(instance, [APP]))
        return bool(done) and driver_of(instance) != before

    wait_for("another driver", replaced)
    assert done[0].action == "restart"
    assert "no sign of life" in done[0].reason
    apps.wait_until_alive(instance, APP)


@pytest.fixture
def failing_app(instance: Settings, app: str, tmp_path: Path) -> Iterator[str]:
    """Want a version whose driver fails as soon as it has started."""
    source = copy_code(tmp_path)
    fix_view(source, version=9)
    begin = "        spark = session.start"
    change(source / "spark_apps/stream.py", begin, f"        raise OSError('no luck')\n{begin}")
    artifact = pack(instance, source)
    with connect(instance) as registry, changing(registry):
        query = releases.add_version(registry, releases.artifact(registry, artifact), VIEW)["query"]
    yield query
    with connect(instance) as registry, changing(registry):
        releases.set_status(registry, query, "retired")
    supervision.bring_about(instance, [query])


def test_crash_loop_is_broken_told_and_resumed_by_a_person(instance: Settings, failing_app: str) -> None:
    done: list[supervision.Done] = []

    def given_up() -> bool:
        done.extend(supervision.tick(instance, [failing_app]))
        return done[-1].action == "give up"

    wait_for("the end of the crash loop", given_up)
    assert "restarted 3 times" in done[-1].reason
    with connect(instance) as registry:
        (alarm,) = [alarm for alarm in alarms.open_alarms(registry) if alarm["subject"] == failing_app]
    assert (alarm["kind"], alarm["runbook"]) == ("crash loop", "docs/runbooks/crash-loop.md")
    told = [alert for alert in alerts(instance) if alert["subject"] == failing_app]
    assert [(alert["state"], alert["message"]) for alert in told] == [("raised", done[-1].reason)]

    engine, driver = Standalone(instance), driver_of(instance, failing_app)
    wait_for("the end of its driver", lambda: not engine.running(driver))
    assert supervision.tick(instance, [failing_app]) == []

    with connect(instance) as registry:
        rows.want(registry, failing_app, "running")
    assert [step.action for step in supervision.tick(instance, [failing_app])] == ["submit"]
    assert [alert["state"] for alert in alerts(instance) if alert["subject"] == failing_app] == [
        "raised",
        "cleared",
    ]
