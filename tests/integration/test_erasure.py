"""Erasing a person on real parts: their words are all over the place, and afterwards in no file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer
from kafka.admin import ConfigResource
from psycopg.types.json import Jsonb
from pyspark.sql import functions as F

from headwater import erasure
from headwater.brokers import admin_client
from headwater.cold_log import check
from headwater.erasure.scanning import Scan, scan
from headwater.errors import Refusal
from headwater.forms import Erasure
from headwater.people import ERASED, keyring
from headwater.people.showing import rows_of as shown
from headwater.registry import connect
from headwater.shop import Simulation, database, simulate
from headwater.topics import load_topics
from headwater.topics.reading import read_whole
from spark_apps import catalog
from spark_apps.session import CATALOG
from tests.people import Person, new_person, register
from tests.streams import Log, archive, forget_newest_commit, job_of, own_cold_log, run
from tests.streams import rows_of as rows_in_view
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

TOPIC = load_topics()["user_changelog"]
QUARANTINE, COLD = f"{CATALOG}.quarantine.{TOPIC.name}", f"{CATALOG}.cold.log_erasure"
# Kafka's cleaner, in a hurry, and its own defaults, which are for topics that nobody waits for.
IN_A_HURRY = {
    "segment.ms": "200",
    "min.cleanable.dirty.ratio": "0.01",
    "delete.retention.ms": "0",
    "file.delete.delay.ms": "500",
}
AT_EASE = {
    "segment.ms": "604800000",
    "min.cleanable.dirty.ratio": "0.5",
    "delete.retention.ms": "86400000",
    "file.delete.delay.ms": "60000",
}


@dataclass(frozen=True, slots=True)
class World:
    """A person whose words are everywhere, a neighbour, and what reads the log of both."""

    settings: Settings
    person: Person
    neighbour: Person
    log: Log
    profiles: View
    checkpoint: str  # of the archive

    def found(self, person: Person) -> set[str]:
        """Return the kinds of places in which a person's words are found."""
        places = scan(Path(self.settings.home), person.needles).found
        return {place.split("/")[0] + "/" + place.split("/")[1] for place in places}


def break_a_record(settings: Settings, person: Person) -> None:
    """Let a broken producer write a person's name in the clear, in a record that is none."""
    send(settings, person.id, f'{{"user_id": "{person.id}", "name": "{person.name}", "coun')


def send(settings: Settings, key: str, value: str) -> None:
    producer = KafkaProducer(**settings.kafka_client("simulator"), acks="all")
    producer.send(TOPIC.name, key=key.encode(), value=value.encode()).get(timeout=30)
    producer.close()


def write_reports(settings: Settings, person: Person) -> None:
    """Leave a page of Data Docs, a proof and a comparison of layers that show the person's words."""
    page = Path(settings.home, "data_docs/site/validations", f"{person.id}.html")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"<td>{person.name}</td>")
    with connect(settings) as registry:
        registry.execute(
            "INSERT INTO artifacts (hash, path, manifest) VALUES (%s, '', '{}') ON CONFLICT DO NOTHING",
            [person.id],
        )
        registry.execute(
            "INSERT INTO versions "
            "(view, version, table_name, checkpoint, artifact, fingerprint, status, proof) "
            "VALUES (%(id)s, 1, '', '', %(id)s, '', 'retired', %(proof)s)",
            {"id": person.id, "proof": Jsonb({"samples": [person.name, "somebody else"]})},
        )
        registry.execute(
            "INSERT INTO batch_days (query, day, rows, offsets, difference) "
            "VALUES (%(id)s || '.v1', '2026-11-16', 1, '{}', %(difference)s)",
            {"id": person.id, "difference": Jsonb({"samples": [person.name]})},
        )


def hurry(settings: Settings, config: dict[str, str]) -> None:
    with admin_client(settings, "admin") as admin:
        admin.alter_configs([ConfigResource("topic", TOPIC.name, config)])


def told(settings: Settings, person: Person) -> bool:
    return person.id.encode() in {record.key for record in read_whole(settings, TOPIC.name)}


@pytest.fixture(scope="module")
def world(instance: Settings, lake: SparkSession) -> Iterator[World]:
    person, neighbour = new_person(), new_person()
    hurry(instance, IN_A_HURRY)
    for somebody in (person, neighbour):
        register(instance, somebody)
    wait_for("the capture", lambda: told(instance, person) and told(instance, neighbour))
    break_a_record(instance, person)
    send(instance, f"nobody-{person.id}", "broken, but nobody's")  # stays, in log and quarantine
    write_reports(instance, person)
    log = Log(settings=instance, topics={TOPIC.name: TOPIC}, suffix="_erasure")
    profiles = log.view(catalog.view("user_profiles"))
    run(lake, job_of(lake, log, profiles))
    with own_cold_log(log):
        yield World(instance, person, neighbour, log, profiles, archive(lake, log).checkpoint)
    hurry(instance, AT_EASE)
    for table in (QUARANTINE, COLD):  # the platform's own archive would not go on with another's
        lake.sql(f"DROP TABLE {table} PURGE")


@pytest.fixture(scope="module")
def before(world: World) -> set[str]:
    """Return where the person's words were found before they were erased."""
    return world.found(world.person)


@pytest.fixture(scope="module")
def proof(world: World, before: set[str]) -> Scan:
    request = Erasure(person=world.person.id, reason="asked for it, ticket 4711")
    return erasure.erase(world.settings, request, "test", print)


def test_scan_finds_what_was_never_sealed_and_nothing_that_was(world: World, before: set[str]) -> None:
    assert before == {
        "data_docs/site",
        "kafka/kafka-1",
        "postgres/data",
        "warehouse/cold",
        "warehouse/quarantine",
    }
    assert world.found(world.neighbour) == set()


def test_those_who_may_see_it_see_it_until_it_is_erased(world: World, before: set[str], proof: Scan) -> None:
    (profile,) = shown(world.settings, world.neighbour.id)["users"]
    (post,) = shown(world.settings, world.neighbour.id)["posts"]
    assert (profile["name"], post["body"]) == (world.neighbour.name, world.neighbour.post)
    assert shown(world.settings, world.person.id) == {}
    with keyring(world.settings) as keys:
        assert keys.seal(world.person.id, "name", "New Name") == ERASED
        assert keys.open(world.person.id, "name", "sealed:1:AAAA") == ERASED


def test_nothing_is_left_in_any_file(world: World, proof: Scan) -> None:
    assert proof.clean
    assert proof.files > 100
    assert world.found(world.person) == set()
    kept = erasure.status(world.settings, world.person.id)
    assert kept
    assert (kept["reason"], kept["asked_by"]) == ("asked for it, ticket 4711", "test")
    assert kept["sought"] is None
    assert kept["proved_at"] is not None
    assert kept["done"]["removed"] == {"rows": 2, "pages": 1, "samples": 2}
    assert kept["done"]["deleted"] == {"users": 1, "posts": 1, "follows": 0, "search_queries": 0}


def test_sealed_texts_are_the_same_each_time_and_open_nowhere_else(instance: Settings) -> None:
    one, other = new_person(), new_person()
    with keyring(instance) as keys:
        sealed = keys.seal(one.id, "name", "Robin")
        assert sealed == keys.seal(one.id, "name", "Robin")
        assert sealed not in (keys.seal(other.id, "name", "Robin"), keys.seal(one.id, "body", "Robin"))
        assert keys.open(one.id, "name", sealed) == "Robin"
        for person, field in ((other.id, "name"), (one.id, "body")):
            with pytest.raises(Refusal, match="could not be opened"):
                keys.open(person, field, sealed)


def test_simulated_shop_stores_nothing_in_the_clear(instance: Settings) -> None:
    simulate(
        instance,
        Simulation(streams=("user_changelog",), rate=20, count=60, changes=100),
        report=lambda _: None,
    )
    with database.connect(instance) as shop:
        texts = shop.execute("SELECT name FROM users UNION ALL SELECT body FROM posts").fetchall()
    assert len(texts) > 20
    assert {text.partition(":")[0] for (text,) in texts} == {"sealed"}


def test_erasing_again_changes_nothing(world: World, proof: Scan) -> None:
    kept = erasure.status(world.settings, world.person.id)
    request = Erasure(person=world.person.id, reason="another reason")
    assert erasure.erase(world.settings, request, "somebody else", print) == proof
    again = erasure.status(world.settings, world.person.id)
    assert kept
    assert again == kept


def test_views_and_replays_go_on_without_the_person(lake: SparkSession, world: World, proof: Scan) -> None:
    job = job_of(lake, world.log, world.profiles)
    run(lake, job)
    rebuilt = world.log.view(catalog.view("user_profiles"))
    run(lake, job_of(lake, world.log, rebuilt))
    for view in (world.profiles, rebuilt):
        people = {row.user_id: row.name for row in rows_in_view(lake, view).collect()}
        assert world.person.id not in people
        assert people[world.neighbour.id].startswith("sealed:1:")


def test_archive_is_whole_goes_on_and_knows_a_batch_that_runs_again(
    lake: SparkSession, world: World, proof: Scan
) -> None:
    kept = [lake.table(table).count() for table in (QUARANTINE, COLD)]
    forget_newest_commit(world.checkpoint)
    archive(lake, world.log)
    assert lake.table(QUARANTINE).count() == kept[0]
    break_a_record(world.settings, world.neighbour)
    archive(lake, world.log)
    assert all(finding.good for finding in check(world.settings, [TOPIC.name]))
    for table in (QUARANTINE, COLD):
        rows = lake.table(table).where("value IS NOT NULL").select(F.expr("CAST(value AS STRING)")).collect()
        assert not [text for (text,) in rows if world.person.name in text]
        assert [text for (text,) in rows if world.neighbour.name in text]


def test_who_is_unknown_or_named_in_the_reason_is_not_erased(world: World, proof: Scan) -> None:
    with pytest.raises(Refusal, match="nobody is known"):
        erasure.begin(world.settings, Erasure(person="user-nobody", reason="why"), "test")
    neighbour = world.neighbour
    with pytest.raises(Refusal, match="holds what is to be erased"):
        erasure.begin(world.settings, Erasure(person=neighbour.id, reason=f"for {neighbour.name}"), "test")
    assert erasure.status(world.settings, neighbour.id) is None


def test_what_is_still_there_is_named_and_looked_for_again_later(world: World, proof: Scan) -> None:
    """The neighbour's broken record is in the log, and this time nobody cleans it."""
    neighbour = world.neighbour
    erasure.begin(world.settings, Erasure(person=neighbour.id, reason="why"), "test")
    with pytest.raises(Refusal, match="not gone everywhere yet") as refused:
        erasure.prove(world.settings, neighbour.id, patience=0)
    assert "kafka/kafka-1" in str(refused.value)
    assert neighbour.name not in str(refused.value)
    erasure.forget(world.settings, neighbour.id)
    erasure.clean(world.settings, neighbour.id)
    assert erasure.prove(world.settings, neighbour.id).clean
