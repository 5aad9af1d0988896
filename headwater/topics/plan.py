"""The plan: what differs between the topics' files and Kafka, and what will be done about it.

What is missing is made: a topic that is not there, access that a file grants. What is there and differs is
drift: it is reported, and altered only when asked for,

- `fix_drift`: set retention, clean-up policy and limits to what the file says, take access away that no file
  grants;
- `grow`: add partitions. Kept apart because it moves keys: a key's later events go to another partition than
  its earlier ones, so nothing keeps their order across the change.

Fewer partitions than Kafka has cannot be had at all and are refused. A topic that no file declares is named
and left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.topics.access import Access, granted
from headwater.topics.cluster import ActualTopic, Cluster, observe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from headwater.settings import Settings
    from headwater.topics.topic import Topic

MOST_REPLICAS = 3
# Kafka Connect makes and keeps its own topics.
CONNECT_PREFIX = "connect-"
Leave = Literal["fix_drift", "grow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTopic:
    """Make a topic that is declared and not there."""

    topic: str
    partitions: int
    replication: int
    config: tuple[tuple[str, str], ...]
    needs: ClassVar[Leave | None] = None

    def __str__(self) -> str:
        return f'create topic "{self.topic}" with {_count(self.partitions, "partition")}'


@dataclass(frozen=True, slots=True, kw_only=True)
class SetConfig:
    """Set one setting of a topic to what its file says."""

    topic: str
    key: str
    actual: str
    declared: str
    needs: ClassVar[Leave | None] = "fix_drift"

    def __str__(self) -> str:
        return f'set {self.key} of topic "{self.topic}" to {self.declared} (Kafka has {self.actual})'


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPartitions:
    """Add partitions to a topic; keys move."""

    topic: str
    actual: int
    declared: int
    needs: ClassVar[Leave | None] = "grow"

    def __str__(self) -> str:
        return (
            f'add partitions to topic "{self.topic}" until it has {self.declared} (Kafka has {self.actual}); '
            "keys move to other partitions, and their order is not kept across the change"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Give access that a file grants."""

    access: Access
    needs: ClassVar[Leave | None] = None

    def __str__(self) -> str:
        return f"grant: {self.access}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoke:
    """Take access to a declared topic away that no file grants."""

    access: Access
    needs: ClassVar[Leave | None] = "fix_drift"

    def __str__(self) -> str:
        return f"revoke: {self.access}, which no file grants"


Change = CreateTopic | SetConfig | AddPartitions | Grant | Revoke


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `apply` will do, what differs and is left as it is, and what Kafka has that no file declares."""

    topics: Mapping[str, Topic]
    changes: tuple[Change, ...]
    drift: tuple[Change, ...]
    undeclared: tuple[str, ...]

    @property
    def in_step(self) -> bool:
        """Say whether files and Kafka agree on all declared topics."""
        return not self.changes and not self.drift

    def lines(self) -> list[str]:
        """Tell the plan to a person."""
        lines = ["topics are in step"] if self.in_step else [str(change) for change in self.changes]
        lines += [f"drift, left as it is (--{_flag(change)} to change): {change}" for change in self.drift]
        return lines + [f'topic "{name}" is in Kafka and in no file; left alone' for name in self.undeclared]


def plan(
    settings: Settings, topics: Mapping[str, Topic], *, fix_drift: bool = False, grow: bool = False
) -> Plan:
    """Compare the files with Kafka. Nothing is changed: this is also the dry run."""
    with admin_client(settings, "admin") as admin:
        cluster = observe(admin)
    allowed = {None} | ({"fix_drift"} if fix_drift else set()) | ({"grow"} if grow else set())
    changes = compare(topics, cluster)
    return Plan(
        topics=topics,
        changes=tuple(change for change in changes if change.needs in allowed),
        drift=tuple(change for change in changes if change.needs not in allowed),
        undeclared=tuple(sorted(_undeclared(topics, cluster))),
    )


def compare(topics: Mapping[str, Topic], cluster: Cluster) -> tuple[Change, ...]:
    """Return every change that would bring Kafka in step with the files."""
    _refuse_shrinking(topics, cluster)
    changes: list[Change] = []
    for topic in topics.values():
        actual = cluster.topics.get(topic.name)
        changes += [_creation(topic, cluster)] if actual is None else _differences(topic, actual)
    wanted = granted(topics.values())
    changes += [Grant(access=access) for access in sorted(wanted - cluster.access)]
    changes += [Revoke(access=access) for access in sorted(_surplus(topics, cluster) - wanted)]
    return tuple(changes)


def _refuse_shrinking(topics: Mapping[str, Topic], cluster: Cluster) -> None:
    shrinking = [
        f'{topic.name}.yaml: field "partitions": {topic.partitions} declared, Kafka has {actual.partitions}'
        for topic in topics.values()
        if (actual := cluster.topics.get(topic.name)) and actual.partitions > topic.partitions
    ]
    if shrinking:
        raise Refusal(
            "\n".join(shrinking),
            detail="A topic cannot shrink: Kafka would have to throw away the events of whole partitions.",
            hint="Declare at least as many partitions as there are, or move to a topic with another name.",
        )


def _creation(topic: Topic, cluster: Cluster) -> CreateTopic:
    replication = min(MOST_REPLICAS, cluster.brokers)
    config = tuple(sorted(_declared_config(topic, replication).items()))
    return CreateTopic(topic=topic.name, partitions=topic.partitions, replication=replication, config=config)


def _differences(topic: Topic, actual: ActualTopic) -> Iterator[Change]:
    if actual.partitions < topic.partitions:
        yield AddPartitions(topic=topic.name, actual=actual.partitions, declared=topic.partitions)
    for key, declared in sorted(_declared_config(topic, actual.replication).items()):
        if actual.config.get(key) != declared:
            yield SetConfig(topic=topic.name, key=key, actual=actual.config.get(key, ""), declared=declared)


def _declared_config(topic: Topic, replication: int) -> dict[str, str]:
    """Return a topic's settings; an acknowledged event is on all replicas but at most one."""
    return {**topic.config(), "min.insync.replicas": str(max(1, replication - 1))}


def _surplus(topics: Mapping[str, Topic], cluster: Cluster) -> set[Access]:
    """Return all access to the declared topics themselves."""
    return {access for access in cluster.access if access.kind == "TOPIC" and access.name in topics}


def _undeclared(topics: Mapping[str, Topic], cluster: Cluster) -> set[str]:
    return {name for name in cluster.topics if name not in topics and not name.startswith(CONNECT_PREFIX)}


def _flag(change: Change) -> str:
    return str(change.needs).replace("_", "-")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
