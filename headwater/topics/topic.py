"""A topic as it is declared: schema, key, partitions, retention, clean-up policy, who writes and who reads.

The declaration is a YAML file named after the topic. Everything in it is checked here, in one place, and each
refusal is raised as a ValueError that says what is wrong; `loading.py` adds the name of the file.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

from headwater.topics.quantities import FOREVER, read_duration, read_size

FieldType = Literal["string", "long", "double", "decimal", "boolean", "timestamp"]
Role = Literal["simulator", "apps", "replay", "connect", "control", "notifier", "carts", "console"]
Cleanup = Literal["delete", "compact"]

# What every event carries, whatever it tells: its identity, and two of its three times (the third,
# received_at, is the timestamp of the record).
EVENT_FIELDS: dict[str, FieldType] = {
    "event_id": "string",
    "occurred_at": "timestamp",
    "sent_at": "timestamp",
}

# A changelog forgets what was superseded after this long at the latest, as other topics forget their events:
# otherwise a quiet one would keep for ever what a person wants to be gone.
SUPERSEDED_MS = 7 * 24 * 60 * 60 * 1000
# The log takes whatever a well-behaved producer may send, so that what is too large for a topic can still be
# put into quarantine by whoever reads it, instead of being lost at the door.
LARGEST_RECORD = 1024 * 1024
# Kafka compares its limit with a whole batch: the largest record, its key and the batch's own header.
RECORD_OVERHEAD = 4096


class TopicField(BaseModel):
    """One field of an event.

    `timestamp` is a whole number in JSON: milliseconds since 1970, UTC. `decimal` is a text, so that no
    reader rounds it, with at most two digits after the point.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: FieldType
    optional: bool = False


def _read_field(declared: object) -> object:
    """Read "string" or "string?" (may be missing or null)."""
    if not isinstance(declared, str):
        return declared
    return {"type": declared.removesuffix("?"), "optional": declared.endswith("?")}


FieldName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
DeclaredField = Annotated[TopicField, BeforeValidator(_read_field)]


def _read_retention(declared: object) -> timedelta | None:
    return None if declared == FOREVER else read_duration(declared)


class Topic(BaseModel):
    """One topic of the log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,200}$")]
    description: Annotated[str, Field(min_length=1)]
    key: str
    partitions: Annotated[StrictInt, Field(ge=1, le=1000)]
    retention: Annotated[timedelta | None, BeforeValidator(_read_retention)]
    cleanup: Cleanup
    largest_event: Annotated[int, BeforeValidator(read_size), Field(le=LARGEST_RECORD)]
    clock: Literal["device", "server"] = "device"
    """Whose clock tells occurred_at and sent_at: devices' clocks may be wrong and are corrected."""
    table: Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]*)?$")] = ""
    """The table of the shop's database whose changes it tells, if it does."""
    person: str = ""
    """The field that says whose record it is, if it holds anything personal."""
    personal: tuple[str, ...] = ()
    """The fields that only ever reach it sealed with that person's key."""
    written_by: tuple[Role, ...]
    read_by: tuple[Role, ...]
    fields: Annotated[
        dict[
            Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")],
            Annotated[TopicField, BeforeValidator(_read_field)],
        ],
        Field(alias="schema"),
    ]

    @model_validator(mode="after")
    def _check_key(self) -> Topic:
        if self.key not in self.fields:
            raise ValueError(f'key "{self.key}" is not a field of the schema')
        if self.fields[self.key].optional:
            raise ValueError(f'key "{self.key}" is an optional field: events without it would have no order')
        return self

    @model_validator(mode="after")
    def _check_event_fields(self) -> Topic:
        """Refuse an event topic without identity and times; a compacted topic is a changelog, not events."""
        if self.is_changelog:
            return self
        for name, wanted in EVENT_FIELDS.items():
            if self.fields.get(name) != TopicField(type=wanted):
                raise ValueError(f'schema needs the field "{name}: {wanted}"')
        return self

    @model_validator(mode="after")
    def _check_table(self) -> Topic:
        if self.table and not self.is_changelog:
            raise ValueError(f'the changes of table "{self.table}" need `cleanup: compact`')
        if self.table and "connect" not in self.written_by:
            raise ValueError(f'the changes of table "{self.table}" are `written_by: [connect]`')
        return self

    @model_validator(mode="after")
    def _check_personal(self) -> Topic:
        """Refuse personal fields that nobody could seal, or that are needed to know whose they are."""
        if bool(self.person) != bool(self.personal):
            raise ValueError("`person` and `personal` are given together, or not at all")
        for name in self.personal:
            if name not in self.fields or self.fields[name].type != "string":
                raise ValueError(f'personal field "{name}" is not a string of the schema')
            if name in (self.key, self.person):
                raise ValueError(f'personal field "{name}" says whose record it is, and cannot be sealed')
        if self.person and self.fields.get(self.person) != TopicField(type="string"):
            raise ValueError(f'person "{self.person}" is not a string of the schema that is always there')
        return self

    @property
    def is_changelog(self) -> bool:
        """Say whether its records are the states of things, the newest of a key being the present one."""
        return self.cleanup == "compact"

    def config(self) -> dict[str, str]:
        """Return Kafka's settings of this topic, in Kafka's words."""
        retention = -1 if self.retention is None else round(self.retention.total_seconds() * 1000)
        return {
            "cleanup.policy": self.cleanup,
            "retention.ms": str(retention),
            "max.message.bytes": str(LARGEST_RECORD + RECORD_OVERHEAD),
            # The record timestamp is received_at, set by whoever takes the event in.
            "message.timestamp.type": "CreateTime",
            **({"max.compaction.lag.ms": str(SUPERSEDED_MS)} if self.is_changelog else {}),
        }
