"""An output topic hears of the version that readers see, of no other, and misses nothing when that changes.

           ada     bob      promoted   cyd              dan      rolled back   eve
    v1     tells                       silent           silent                 tells dan, eve
    v1b2   silent  silent              tells bob, cyd                          silent

Whoever takes over tells first what it has read in silence and nobody has told.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer
from pyspark.errors import StreamingQueryException

from headwater.artifacts import Artifact
from headwater.registry import apps, connect, releases
from headwater.registry.wanted import changing
from headwater.replay.moving import move
from headwater.topics.reading import read_whole
from spark_apps import catalog, sinks, stream, voice
from tests.log_records import milliseconds
from tests.streams import Crash, Log, job_of, new_log, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

LATELY = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A view with an output topic and two versions, each of which runs apart; `old` is live."""

    lake: SparkSession
    log: Log
    old: View
    new: View

    def burst(self, user: str, minute: int) -> None:
        """Let somebody fail to log in three times, which is one row and one record."""
        with KafkaProducer(**self.log.settings.kafka_client("simulator")) as kafka:
            for second in range(3):
                at = milliseconds(LATELY + minute * MINUTE + timedelta(seconds=second))
                login = {"event_id": f"{user} {second}", "user_id": user, "country": "DE", "succeeded": False}
                said = json.dumps({**login, "occurred_at": at, "sent_at": at}).encode()
                kafka.send(self.log.topics["logins"].name, key=user.encode(), value=said, timestamp_ms=at)

    def read(self, version: View) -> None:
        """Let a version read what the log holds, as the driver of its app would that starts now."""
        with connect(self.log.settings) as registry:
            speaks = self.app(version)["speaks"]
            standing = voice.standing(registry, speaks, releases.version(registry, version.query))
            log = replace(self.log, settings=stream.settings_of(speaks=speaks))
            run(self.lake, job_of(self.lake, log, version, standing=standing))

    def app(self, version: View) -> dict[str, Any]:
        with connect(self.log.settings) as registry:
            found = apps.app(registry, version.query)
        assert found is not None
        return found

    def make_live(self, version: View) -> None:
        with connect(self.log.settings) as registry:
            move(self.log.settings, registry, version.query, "promote", "a test")

    def heard(self, what: str = "subject") -> list[str]:
        """Return what the records of the output topic say, in its order: whom they tell of, unless asked."""
        records = read_whole(self.log.settings, self.log.topics["alerts"].name)
        return [json.loads(record.value)[what] for record in records]


@pytest.fixture
def stage(lake: SparkSession, instance: Settings) -> Iterator[Stage]:
    log = new_log(instance, "logins", "alerts")
    old = log.view(catalog.view("failed_login_alerts"))
    declared = catalog.describe(old) | {"app": "nobody"}
    artifact = Artifact(hash=uuid.uuid4().hex[:16], path="nowhere", manifest={old.name: declared})
    with connect(instance) as registry, changing(registry):
        releases.register(registry, artifact, ["nobody"])
        releases.add_version(registry, artifact, old.name, status="candidate")
    stage = Stage(lake=lake, log=log, old=old, new=replace(old, build=2))
    stage.burst("ada", 0)
    for version in (stage.old, stage.new):
        stage.read(version)
    sinks.publish(lake, old)
    yield stage
    with connect(instance) as registry, changing(registry):  # so that nobody tries to run them
        for version in (stage.old, stage.new):
            releases.set_status(registry, version.query, "retired")


def test_only_the_live_version_speaks_and_whoever_takes_over_tells_what_it_read_in_silence(
    stage: Stage,
) -> None:
    assert stage.heard() == ["ada"]

    stage.burst("bob", 10)
    stage.read(stage.new)
    assert stage.heard() == ["ada"], "a candidate is silent"
    stage.make_live(stage.new)
    stage.burst("cyd", 20)
    stage.read(stage.old)
    assert stage.heard() == ["ada"], "who is live no more is silent"
    stage.read(stage.new)
    assert stage.heard() == ["ada", "bob", "cyd"]

    stage.burst("dan", 30)
    stage.read(stage.old)
    stage.make_live(stage.old)
    stage.burst("eve", 40)
    stage.read(stage.new)
    assert stage.heard() == ["ada", "bob", "cyd"]
    stage.read(stage.old)
    assert stage.heard() == ["ada", "bob", "cyd", "dan", "eve"]

    stage.burst("fay", 50)
    stage.read(stage.old)
    assert stage.heard()[5:] == ["fay"], "what was told once was told again"


def test_driver_of_a_version_that_runs_apart_has_to_end_when_its_voice_changes(stage: Stage) -> None:
    """Kafka takes records of output topics from `apps`, and none from `replay`."""
    before = {version.query: stage.app(version) for version in (stage.old, stage.new)}
    assert [row["speaks"] for row in before.values()] == [True, False]
    stage.make_live(stage.new)
    with connect(stage.log.settings) as registry:
        for query, row in before.items():
            running = (registry, query, row["artifact"], row["queries"])
            assert apps.must_end(*running, speaks=row["speaks"])
            assert not apps.must_end(*running, speaks=not row["speaks"])


def test_death_between_telling_and_committing_loses_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.burst("bob", 10)
    stage.read(stage.new)
    stage.make_live(stage.new)
    stage.burst("cyd", 20)

    def dies(*_arguments: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(sinks, "upsert", dies)
        with pytest.raises(StreamingQueryException, match="Crash"):
            stage.read(stage.new)
    assert stage.heard() == ["ada", "bob", "cyd"]
    stage.read(stage.new)
    assert stage.heard() == ["ada", "bob", "cyd", "bob", "cyd"]
    assert len(set(stage.heard("event_id"))) == 3
    stage.burst("dan", 30)
    stage.read(stage.new)
    assert stage.heard()[5:] == ["dan"]
