from __future__ import annotations

from headwater.notifier import Route
from headwater.topics import load_topics
from headwater.topics.access import granted


def test_notifier_may_use_its_own_groups_and_transactions_and_no_others() -> None:
    entries = {entry for entry in granted(load_topics().values()) if entry.principal == "User:notifier"}
    names = {(entry.kind, entry.name, entry.pattern) for entry in entries if entry.kind != "TOPIC"}
    assert names == {
        ("GROUP", "headwater.notifier", "PREFIXED"),
        ("TRANSACTIONAL_ID", "headwater.notifier", "PREFIXED"),
    }
    writes = {entry.name for entry in entries if (entry.kind, entry.operation) == ("TOPIC", "WRITE")}
    assert writes == {"notifications"}


def test_every_name_of_the_notifier_starts_as_access_is_granted() -> None:
    route = Route()
    for name in (route.group, route.transactional_id(0), route.channel_group("log")):
        assert name.startswith("headwater.notifier")
