"""Erasing a person on real parts: their words are all over the place, and afterwards in no file."""

from __future__ import annotations

import json
import re
from collections import Counter
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
from headwater.sealed import PATTERN
from headwater.shop import Simulation, database, simulate
from headwater.topics import load_topics
from headwater.topics.reading import read_whole
from spark_apps import catalog
from spark_apps.session import CATALOG
from tests.captures import Captured
from tests.people import SOMEBODY, Person, follow, new_person, order, register
from tests.streams import Log, archive, forget_newest_commit, job_of, own_cold_log, run
from tests.streams import rows_of as rows_in_view
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Row, SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

TOPIC = load_topics()["user_changelog"]
LIVE = ("user_profiles", "home_timelines")
REBUILT = (*LIVE, "order_details")
NICKNAME = "Qix"  # too short to be looked for by itself
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
    tables: Log
    versions: dict[str, View]
    log: Log  # which is archived
    checkpoint: str  # of the archive

    def found(self, person: Person) -> set[str]:
        """Return the kinds of places in which a person's words are found."""
        places = scan(Path(self.settings.home), person.needles).found
        return {place.split("/")[0] + "/" + place.split("/")[1] for place in places}

    def rows(self, lake: SparkSession, versions: dict[str, View], name: str) -> list[Row]:
        """Return the rows of a view that tell of the person."""
        whose = {"home_timelines": "author_id"}.get(name, "user_id")
        return rows_in_view(lake, versions[name]).where(F.col(whose) == self.person.id).collect()


def new_versions(log: Log, names: tuple[str, ...]) -> dict[str, View]:
    return {name: log.view(catalog.view(name)) for name in names}


def read_on(lake: SparkSession, log: Log, *views: View) -> None:
    run(lake, *(job_of(lake, log, view) for view in views))


def forget_to_seal(settings: Settings, person: Person, name: str) -> None:
    """Let an application write a profile in which nothing is wrong but the name: it is in the clear."""
    profile = {"user_id": person.id, "name": name, "country": "DE", "plan": "free"}
    send(settings, person.id, json.dumps(profile))


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


def wait_for_capture(settings: Settings) -> None:
    """Wait until the log tells all that the shop's database was told."""
    Captured(settings, database.DATABASE, {}).wait()


def let_the_log_forget(settings: Settings, person: Person) -> None:
    """Let the cleaner run until only the quarantine and the cold log know the former names."""
    hurry(settings, IN_A_HURRY)
    names = [json.dumps(name).encode() for name in (person.former_name, NICKNAME)]

    def forgotten() -> bool:
        break_a_record(settings, person)  # a segment is closed by what is written after it
        values = [record.value or b"" for record in read_whole(settings, TOPIC.name)]
        return not any(name in value for name in names for value in values)

    wait_for("the cleaner", forgotten)


@pytest.fixture(scope="module")
def world(instance: Settings, lake: SparkSession) -> Iterator[World]:
    person, neighbour = new_person(), new_person()
    for somebody in (person, neighbour):
        register(instance, somebody)
    follow(instance, neighbour, person)
    for somebody in (person, neighbour):
        order(instance, somebody)
    wait_for_capture(instance)
    for name in (person.former_name, NICKNAME):
        forget_to_seal(instance, person, name)
    break_a_record(instance, person)
    send(instance, f"nobody-{person.id}", "broken, but nobody's")  # stays, in log and quarantine
    write_reports(instance, person)
    declared = load_topics()
    read = {name: declared[name] for view in REBUILT for name in catalog.view(view).tables}
    tables = Log(settings=instance, topics=read)
    versions = new_versions(tables, LIVE)
    read_on(lake, tables, *versions.values())
    log = Log(settings=instance, topics={TOPIC.name: TOPIC}, suffix="_erasure")
    with own_cold_log(log):
        checkpoint = archive(lake, log).checkpoint
        let_the_log_forget(instance, person)
        yield World(instance, person, neighbour, tables, versions, log, checkpoint)
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


def test_valid_record_in_the_clear_is_in_quarantine_and_in_no_view(
    lake: SparkSession, world: World, before: set[str]
) -> None:
    assert reasons(lake, world.person) == {("not sealed: name", "kept"): 2, ("not JSON", "kept"): 1}
    (profile,) = world.rows(lake, world.versions, "user_profiles")
    (post,) = world.rows(lake, world.versions, "home_timelines")
    assert re.search(PATTERN, profile["name"])
    assert re.search(PATTERN, post["body"])
    assert profile["plan"] == "pro", "what is not let in changes nothing"


def reasons(lake: SparkSession, person: Person) -> Counter[tuple[str, str]]:
    """Count why records of a person are in quarantine, and whether what they said is still there."""
    records = lake.table(QUARANTINE).where(F.col("key").cast("string") == person.id).collect()
    return Counter((row["reason"], "gone" if row["value"] is None else "kept") for row in records)


def test_those_who_may_see_it_see_it_until_it_is_erased(world: World, before: set[str], proof: Scan) -> None:
    (profile,) = shown(world.settings, world.neighbour.id)["users"]
    (post,) = shown(world.settings, world.neighbour.id)["posts"]
    assert (profile["name"], post["body"]) == (world.neighbour.name, world.neighbour.post)
    assert shown(world.settings, world.person.id) == {}
    with keyring(world.settings) as keys:
        assert keys.seal(world.person.id, "name", "New Name") == ERASED
        assert keys.open(world.person.id, "name", SOMEBODY) == ERASED


def test_nothing_is_left_in_any_file(lake: SparkSession, world: World, proof: Scan) -> None:
    assert proof.clean
    assert proof.files > 100
    assert world.found(world.person) == set()
    kept = erasure.status(world.settings, world.person.id)
    assert kept
    assert (kept["reason"], kept["asked_by"]) == ("asked for it, ticket 4711", "test")
    assert kept["sought"] is None
    assert kept["proved_at"] is not None
    assert kept["done"]["removed"] == {"rows": 6, "pages": 1, "samples": 2}
    assert kept["done"]["deleted"] == {"users": 1, "posts": 1, "follows": 1, "search_queries": 0}
    assert reasons(lake, world.person) == {("not sealed: name", "gone"): 2, ("not JSON", "gone"): 1}


def test_sealed_texts_are_the_same_each_time_and_open_nowhere_else(instance: Settings) -> None:
    one, other = new_person(), new_person()
    with keyring(instance) as keys:
        sealed = keys.seal(one.id, "name", "Robin")
        assert sealed == keys.seal(one.id, "name", "Robin")
        assert sealed not in (keys.seal(other.id, "name", "Robin"), keys.seal(one.id, "body", "Robin"))
        assert keys.open(one.id, "name", sealed) == "Robin"
        assert keys.open(one.id, "name", "sealed:1:Robin") == "sealed:1:Robin", "it only looks so"
        for text in ("", "R", "Robin", "Robin " * 1000):
            assert re.search(PATTERN, keys.seal(one.id, "name", text))
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
    wait_for_capture(world.settings)
    rebuilt = new_versions(world.tables, REBUILT)
    read_on(lake, world.tables, *world.versions.values(), *rebuilt.values())
    for versions in (world.versions, rebuilt):
        assert world.rows(lake, versions, "user_profiles") == []
        assert world.rows(lake, versions, "home_timelines") == []
        people = {
            row["user_id"]: row["name"] for row in rows_in_view(lake, versions["user_profiles"]).collect()
        }
        assert people[world.neighbour.id].startswith("sealed:1:")
    (ordered,) = world.rows(lake, rebuilt, "order_details")
    assert (ordered["country"], ordered["plan"]) == (None, None), "the order stays, under the pseudonym alone"


def test_who_is_written_of_afterwards_shows_as_erased(lake: SparkSession, world: World, proof: Scan) -> None:
    """By an application that has not heard of it; sealing is all that it does right, and enough."""
    register(world.settings, world.person)
    follow(world.settings, world.neighbour, world.person)
    wait_for_capture(world.settings)
    read_on(lake, world.tables, *world.versions.values())
    (profile,), (post,) = (world.rows(lake, world.versions, name) for name in LIVE)
    assert (profile["name"], post["body"]) == (ERASED, ERASED)


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
    erased = (world.person.name, world.person.former_name, f'"{NICKNAME}"')
    for table in (QUARANTINE, COLD):
        rows = lake.table(table).where("value IS NOT NULL").select(F.expr("CAST(value AS STRING)")).collect()
        assert not [text for (text,) in rows if any(name in text for name in erased)]
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
