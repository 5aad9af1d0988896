"""Who is let do what, read from the files and from the code."""

from __future__ import annotations

import re
from typing import get_args

from headwater.local.kinds.kafka import ROLES
from headwater.settings import REPOSITORY
from headwater.topics import load_topics
from headwater.topics.access import granted, roles
from headwater.topics.topic import Role

AS_ADMIN = re.compile(r'(kafka_client|admin_client)\((settings, )?("admin"|ADMIN\b)')
# Steps of an administrator: topics and access, credentials, and the look at an environment before both.
ADMINISTER = {
    "headwater/topics/plan.py",
    "headwater/topics/applying.py",
    "headwater/local/steps.py",
    "headwater/checking.py",
}


def test_every_role_is_named_by_a_file_and_has_a_password() -> None:
    assert roles(load_topics().values()) == set(get_args(Role)) == set(ROLES)


def test_the_super_user_is_for_administering_only() -> None:
    code = [
        file for room in ("headwater", "spark_apps", "dags") for file in (REPOSITORY / room).rglob("*.py")
    ]
    found = {str(file.relative_to(REPOSITORY)) for file in code if AS_ADMIN.search(file.read_text())}
    assert found == ADMINISTER


def test_nobody_is_granted_everything_nor_the_right_to_change_topics() -> None:
    entries = granted(load_topics().values())
    assert {entry.operation for entry in entries} == {"READ", "WRITE", "DESCRIBE", "DESCRIBE_CONFIGS"}
    assert not [entry for entry in entries if entry.name in ("*", "") or "admin" in entry.principal]
    assert {entry.name for entry in entries if entry.pattern == "PREFIXED"} == {
        "headwater.",
        "headwater.carts",
        "headwater.notifier",
    }


def test_who_computes_the_past_again_reads_what_apps_read_and_writes_nothing() -> None:
    topics = load_topics().values()
    assert all(("replay" in topic.read_by) == ("apps" in topic.read_by) for topic in topics)
    assert not any({"replay", "console"} & set(topic.written_by) for topic in topics)
