"""A topic's file is read, or refused by name of file and field."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.settings import REPOSITORY
from headwater.topics import TopicField, load_topic, load_topics

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
description: Someone signed in.
key: user_id
partitions: 3
retention: 7 days
cleanup: delete
largest_event: 256 kB
written_by: [simulator]
read_by: [apps]
schema:
  event_id: string
  user_id: string
  attempts: long?
  occurred_at: timestamp
  sent_at: timestamp
"""


def refusal_of(text: str) -> str:
    with pytest.raises(Refusal) as refused:
        load_topic("logins.yaml", text)
    return str(refused.value)


def output_of(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_a_topic_is_named_after_its_file_and_keeps_what_it_says() -> None:
    topic = load_topic("logins.yaml", GOOD)
    assert topic.name == "logins"
    assert topic.key == "user_id"
    assert topic.partitions == 3
    assert topic.retention == timedelta(days=7)
    assert topic.largest_event == 256_000
    assert topic.written_by == ("simulator",)
    assert topic.fields["event_id"] == TopicField(type="string")
    assert topic.fields["attempts"] == TopicField(type="long", optional=True)
    assert list(topic.fields) == ["event_id", "user_id", "attempts", "occurred_at", "sent_at"]


def test_the_topics_of_the_shop_are_readable() -> None:
    topics = load_topics()
    assert topics["page_views"].key == "user_id"
    assert all(name == topic.name for name, topic in topics.items())


def test_topics_are_found_inside_a_zipped_artifact(tmp_path: Path) -> None:
    artifact = tmp_path / "artifact.zip"
    with zipfile.ZipFile(artifact, "w") as zipped:
        for package in ("headwater", "spark_apps"):
            for file in (REPOSITORY / package).rglob("*"):
                if file.suffix in {".py", ".yaml"}:
                    zipped.write(file, file.relative_to(REPOSITORY))
    code = (
        f"import sys; sys.path.insert(0, {str(artifact)!r})\n"
        "import headwater.topics; print(headwater.topics.__file__, *headwater.topics.load_topics())"
    )
    where, *names = output_of(code).split()
    assert where.startswith(str(artifact))
    assert names == list(load_topics())


def test_loading_topics_needs_neither_kafka_nor_pyspark() -> None:
    code = "import headwater.topics, sys; headwater.topics.load_topics(); print(*sys.modules)"
    assert not {"kafka", "pyspark"} & set(output_of(code).split())


def test_files_of_a_folder_are_read_in_order_and_other_files_are_left_alone(tmp_path: Path) -> None:
    for name in ("sign_outs.yaml", "logins.yaml", "notes.txt"):
        (tmp_path / name).write_text(GOOD)
    assert list(load_topics(tmp_path)) == ["logins", "sign_outs"]


@pytest.mark.parametrize(
    ("instead_of", "written", "said"),
    [
        (
            "partitions: 3",
            "partitons: 3",
            'logins.yaml: unexpected field "partitons" (did you mean "partitions"?)',
        ),
        ("partitions: 3", "", 'logins.yaml: missing field "partitions"'),
        ("partitions: 3", "partitions: 0", 'logins.yaml: field "partitions"'),
        ("partitions: 3", "partitions: true", 'logins.yaml: field "partitions"'),
        ("partitions: 3", "partitions: '3'", 'logins.yaml: field "partitions"'),
        ("partitions: 3", "partitions: 3\npartitions: 4", 'logins.yaml: field "partitions" is given twice'),
        ("user_id: string", "user_id: strng", 'logins.yaml: field "schema.user_id": input should be'),
        ("user_id: string", "user_id: 3", 'logins.yaml: field "schema.user_id"'),
        ("user_id: string", "User: string", 'logins.yaml: field "schema.User"'),
        ("key: user_id", "key: customer", 'logins.yaml: key "customer" is not a field of the schema'),
        ("key: user_id", "key: attempts", 'logins.yaml: key "attempts" is an optional field'),
        ("7 days", "7 fortnights", "logins.yaml: field \"retention\": '7 fortnights' is not a duration"),
        ("7 days", "0 days", 'logins.yaml: field "retention"'),
        ("7 days", "999999999 weeks", 'logins.yaml: field "retention"'),
        ("7 days", "604800", 'logins.yaml: field "retention"'),
        ("256 kB", "256 kilos", "logins.yaml: field \"largest_event\": '256 kilos' is not a size"),
        ("256 kB", "2 MB", 'logins.yaml: field "largest_event"'),
        ("cleanup: delete", "cleanup: shred", 'logins.yaml: field "cleanup"'),
        ("[simulator]", "[everyone]", 'logins.yaml: field "written_by"'),
        ("[simulator]", "[admin]", 'logins.yaml: field "written_by"'),
        ("event_id: string", "event_id: long", 'logins.yaml: schema needs the field "event_id: string"'),
        ("  sent_at: timestamp", "", 'logins.yaml: schema needs the field "sent_at: timestamp"'),
        (
            "sent_at: timestamp",
            "sent_at: timestamp?",
            'logins.yaml: schema needs the field "sent_at: timestamp"',
        ),
        ("key: user_id", "key: [user_id", "logins.yaml: "),
        ("key: user_id", "name: logins", 'logins.yaml: unexpected field "name"'),
    ],
)
def test_a_mistake_is_refused_by_file_and_field(instead_of: str, written: str, said: str) -> None:
    assert instead_of in GOOD
    assert refusal_of(GOOD.replace(instead_of, written)).startswith(said)


@pytest.mark.parametrize("text", ["", "3", "- a", "\x00"])
def test_a_file_that_declares_nothing_is_refused_by_name(text: str) -> None:
    assert refusal_of(text).startswith("logins.yaml: ")


def test_a_file_that_cannot_name_a_topic_is_refused() -> None:
    with pytest.raises(Refusal, match=r"Log-Ins\.yaml"):
        load_topic("Log-Ins.yaml", GOOD)


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    said = refusal_of(GOOD.replace("7 days", "soon").replace("256 kB", "big"))
    assert "retention" in said
    assert "largest_event" in said


def test_a_compacted_topic_is_a_changelog_and_needs_no_event_fields() -> None:
    changelog = (
        GOOD.replace("delete", "compact").replace("  event_id: string\n", "").replace("7 days", "forever")
    )
    topic = load_topic("users.yaml", changelog)
    assert topic.retention is None
    assert topic.config()["cleanup.policy"] == "compact"
    assert topic.config()["retention.ms"] == "-1"


def test_personal_fields_are_declared_with_their_person() -> None:
    topic = load_topic("logins.yaml", f"person: user_id\npersonal: [device]\n{GOOD}  device: string?\n")
    assert (topic.person, topic.personal) == ("user_id", ("device",))


@pytest.mark.parametrize(
    ("declared", "refused"),
    [
        ("personal: [device]", "given together"),
        ("person: user_id", "given together"),
        ("person: user_id\npersonal: [nickname]", 'personal field "nickname" is not a string'),
        ("person: user_id\npersonal: [attempts]", 'personal field "attempts" is not a string'),
        ("person: user_id\npersonal: [user_id]", "cannot be sealed"),
        ("person: owner\npersonal: [device]", 'person "owner" is not a string'),
        ("person: attempts\npersonal: [device]", 'person "attempts" is not a string'),
    ],
)
def test_personal_fields_that_cannot_be_sealed_are_refused(declared: str, refused: str) -> None:
    assert refused in refusal_of(f"{declared}\n{GOOD}  device: string?\n")
