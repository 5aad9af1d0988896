"""Who may do what: the access that a topic's file grants, as Kafka will hold it.

Every part of Headwater has a role of its own, and nobody has access that no file grants. The role `admin` is
a super user and appears in no file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.topics.topic import Topic

# How the consumer groups start that a role may touch. Streaming apps publish their offsets as groups.
GROUPS = {
    "apps": "headwater.",
    "replay": "headwater.",  # of a candidate, which is kept on when it is promoted
    "notifier": "headwater.notifier",
    "carts": "headwater.carts",
}
# Who may ask how large partitions are, and for how long records are kept: the plan of a replay tells how much
# it will read, and the guard of retention how much time is left. Kafka has no smaller right for sizes: they
# may look at access and at groups, too, and change neither.
SIZES = ("apps", "replay")
# How the names start under which a role may write in transactions.
TRANSACTIONS = {"notifier": "headwater.notifier", "carts": "headwater.carts"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Access:
    """One entry of Kafka's access control list, in Kafka's words."""

    principal: str
    operation: str
    kind: str
    name: str
    pattern: str = "LITERAL"
    host: str = "*"
    permission: str = "ALLOW"

    def __str__(self) -> str:
        verb = "may" if self.permission == "ALLOW" else "may not"
        starting = " starting with" if self.pattern == "PREFIXED" else ""
        host = "" if self.host == "*" else f" from {self.host}"
        resource = f'{self.kind.lower()}{starting} "{self.name}"'
        return f"{self.principal} {verb} {self.operation.lower()} {resource}{host}"


def roles(topics: Iterable[Topic]) -> frozenset[str]:
    """Return all roles that the files of these topics let write or read."""
    return frozenset(role for topic in topics for role in (*topic.written_by, *topic.read_by))


def granted(topics: Iterable[Topic]) -> frozenset[Access]:
    """Return all access that the files of these topics grant.

    A writer needs no right on the cluster: since Kafka 2.8 the right to write a topic includes writing it
    idempotently.
    """
    entries: set[Access] = set()
    for topic in topics:
        entries |= {entry for role in topic.written_by for entry in _on_topic(role, "WRITE", topic)}
        entries |= {entry for role in topic.read_by for entry in _on_topic(role, "READ", topic)}
        entries |= {
            entry
            for role in GROUPS.keys() & set(topic.read_by)
            for entry in _on_names(role, "READ", "GROUP", GROUPS[role])
        }
        entries |= {
            entry
            for role in TRANSACTIONS.keys() & set(topic.written_by)
            for entry in _on_names(role, "WRITE", "TRANSACTIONAL_ID", TRANSACTIONS[role])
        }
        entries |= {
            Access(principal=f"User:{role}", operation=operation, kind=kind, name=name)
            for role in set(SIZES) & set(topic.read_by)
            for operation, kind, name in (
                ("DESCRIBE", "CLUSTER", "kafka-cluster"),
                ("DESCRIBE_CONFIGS", "TOPIC", topic.name),
            )
        }
    return frozenset(entries)


def _on_topic(role: str, operation: Literal["READ", "WRITE"], topic: Topic) -> set[Access]:
    return {
        Access(principal=f"User:{role}", operation=allowed, kind="TOPIC", name=topic.name)
        for allowed in (operation, "DESCRIBE")
    }


def _on_names(role: str, operation: Literal["READ", "WRITE"], kind: str, prefix: str) -> set[Access]:
    return {
        Access(principal=f"User:{role}", operation=allowed, kind=kind, name=prefix, pattern="PREFIXED")
        for allowed in (operation, "DESCRIBE")
    }
