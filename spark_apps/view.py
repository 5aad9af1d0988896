"""What a view is: one record that says everything a person may want to know, and nothing about how it runs.

A view is a module in `spark_apps/views` with a pure `transform(events…) -> DataFrame` and a `VIEW = View(…)`.
Table names, checkpoints, form choices, checks and contract tests are derived from the record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from headwater import names
from headwater.bounds import CLOCK_TOLERANCE, OLDEST
from headwater.declared import columns_in
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame

    Transform = Callable[..., DataFrame]

NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """An expectation on the rows of a view, in Great Expectations' own words."""

    expectation: str
    arguments: Mapping[str, Any]
    severity: Literal["fail", "warn"] = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """An output topic: each row that is new or has changed becomes a record of it.

    Written before the rows are committed, so a crash in between writes it again: at least once, and with the
    same `event_id`, which is made of `identity`. Of two rows that share it only the first is news.
    """

    topic: str
    fields: Mapping[str, str] = field(
        default_factory=dict
    )  # SQL; a field not named is the column of its name
    identity: tuple[str, ...] = ()  # the columns that tell two records apart; the view's keys unless said


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One view of the log, kept up to date by the app it belongs to."""

    name: str
    version: int  # raised whenever the logic changes; deploy refuses a change without it
    app: str  # views with the same app share one driver
    owner: str

    inputs: tuple[str, ...] = ()  # topics of events, in the order of the transform's arguments
    # Changelog topics, the arguments after those: with all their past beside events, as they are without.
    tables: tuple[str, ...] = ()
    transform: Transform
    schema: str  # the columns of the rows, as SQL writes them
    keys: tuple[str, ...]  # at most one row for each
    time: str = ""  # the column that says which stretch of time a row is about; a view of tables has none
    window: timedelta = timedelta(0)  # how long that stretch is
    hop: timedelta = timedelta(0)  # how soon the next one begins; when it is over, unless said
    closes: str = ""  # SQL: from when on no event can change a row; `time + window` unless said
    look_back: timedelta = timedelta(0)  # how far before its `time` the events reach that a row is made of
    uncut: str = ""  # why a rebuild cannot cut its rows in two at a seam, if it cannot
    grain: Literal["window", "event"] = "window"  # what a row is about: rows about events are many
    # Of a view of tables: the column by whose values rows are made anew, all of a value at once, and for each
    # table SQL that finds the units of the rows that `changed`.
    unit: str = ""
    touches: Mapping[str, str] = field(default_factory=dict)
    farewells: bool = False  # whether its transform gets rows that are `gone`, too: key, unit, lsn
    mode: Literal["append", "upsert"]
    prefers: tuple[str, ...] = ()  # of two rows with one key the least by these stays, not the latter
    publishes: Publication | None = None  # the topic that hears of its rows
    # Where rows tell beginnings: of whom. One that was told and moves ahead in time is not told again.
    beginnings_of: tuple[str, ...] = ()

    clock: Literal["event_time", "received_at"] = "event_time"
    lateness: timedelta = timedelta(minutes=10)  # received longer after its event time: late
    late: Literal["ignore", "correct", "separate"] = "ignore"
    repeats: Literal["drop", "keep"] = "drop"
    disorder: timedelta = timedelta(minutes=10)  # how far apart partitions may run while the app is live

    checks: tuple[Check, ...] = ()
    difference_budget: float = (
        0.0  # share of rows that may differ between versions before promotion is refused
    )
    # Columns that versions need not agree on: they are made of what the log forgets.
    uncompared: tuple[str, ...] = ()
    # How often it looks for news, and how far behind the log it may be. A look costs about as much whatever
    # it finds, so views look seldom unless somebody waits for their rows (docs/performance.md).
    trigger: timedelta = timedelta(minutes=2)
    freshness: timedelta = timedelta(minutes=3)

    build: int = 1  # set by whoever runs it, not by the author: how often this version has been built

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise Refusal(f'"{self.name}" cannot name a view', hint="Use lower-case letters, digits and _.")
        if self.version < 1:
            raise Refusal(f'view "{self.name}": version {self.version} is not 1 or more')
        if self.inputs and self.time not in self.keys:
            raise Refusal(f'view "{self.name}": time column "{self.time}" is not one of its keys')
        if not self.inputs:
            self._check_tables()
        if self.late == "correct" and self.mode == "append":
            raise Refusal(
                f'view "{self.name}": rows that are only appended cannot be corrected',
                hint='Use mode "upsert", or another late policy.',
            )
        if self.mode == "append" and self.prefers:
            raise Refusal(f'view "{self.name}": rows that are only appended cannot be preferred')
        if self.freshness <= self.trigger:
            raise Refusal(
                f'view "{self.name}" looks for news too seldom for its freshness',
                detail=f"Every {self.trigger}, and its rows may be {self.freshness} behind the log.",
                hint="Look more often (`trigger`), or promise less (`freshness`).",
            )

    def _check_tables(self) -> None:
        if not self.tables:
            raise Refusal(f'view "{self.name}" reads nothing', hint="Give it `inputs` or `tables`.")
        if self.time or self.mode != "upsert":
            raise Refusal(
                f'view "{self.name}" is of tables alone', hint='It has no `time`, and its mode is "upsert".'
            )
        if not self.unit or self.touches.keys() != set(self.tables):
            raise Refusal(
                f'view "{self.name}" does not say which rows a change concerns',
                hint="Give it a `unit`, and in `touches` for each of its tables the SQL that finds units.",
            )

    @property
    def of_tables(self) -> bool:
        """Whether it is a view of tables alone: of what is so now, not of what happened when."""
        return not self.inputs

    @property
    def reads(self) -> tuple[str, ...]:
        """All topics that it reads."""
        return (*self.inputs, *self.tables)

    @property
    def key_columns(self) -> dict[str, str]:
        """Its keys, with their types as SQL writes them."""
        columns = columns_in(self.schema)
        return {key: columns[key] for key in self.keys}

    @property
    def output(self) -> Literal["append", "update"]:
        """When Spark gives a row out: once, when it is final, or whenever it has changed."""
        return "update" if self.mode == "upsert" and not self.prefers and not self.tables else "append"

    @property
    def closing(self) -> str:
        """SQL for the time from which on no event can change a row; a row of tables may change for ever."""
        if self.of_tables:
            return "CAST(NULL AS TIMESTAMP)"
        return self.closes or f"{self.time} + INTERVAL '{self.window.total_seconds():.0f}' SECOND"

    @property
    def cannot_be_cut(self) -> str:
        """Why a rebuild cannot cut its rows in two at a moment in time; nothing if it can."""
        return self.uncut or ("rows of tables belong to no time" if self.of_tables else "")

    @property
    def tumbles(self) -> bool:
        """Whether its rows are about windows of which the next begins when one is over."""
        return self.grain == "window" and self.window > timedelta(0) and not self.hop

    @property
    def remembers(self) -> timedelta:
        """How long state is kept: Spark's watermark delay.

        Wider than the late rule by the disorder that partitions may have, so that Spark itself never drops an
        event. An event that is corrected may be as old as the quarantine lets through.
        """
        return (OLDEST if self.late == "correct" else self.lateness) + self.disorder

    @property
    def leaves_out_late(self) -> bool:
        """Whether there are events that it hears of and leaves out because they are late."""
        return self.clock == "event_time" and self.late != "correct"

    @property
    def latest(self) -> timedelta:
        """How long after its time an event may be received and still count.

        One that is corrected may have been held back, and sent by a clock that is slow, as far as both are
        let through.
        """
        return CLOCK_TOLERANCE + OLDEST if self.late == "correct" else self.lateness

    @property
    def settles(self) -> timedelta | None:
        """How long after the end of a window a record of it may still come; None: no window ends by itself.

        How long a session lasts, its events decide; so any record may still belong to it.
        """
        return None if self.closes else self.latest

    @property
    def label(self) -> str:
        """What people call this version: `v2`, or `v2b2` when it is built a second time."""
        return names.label(self.version, self.build)

    @property
    def query(self) -> str:
        """The name of the streaming query that keeps this version."""
        return names.query(self.name, self.label)

    @property
    def table(self) -> str:
        """The table of this version."""
        return names.table(self.name, self.label)

    @property
    def batch_table(self) -> str:
        """The table of the closed days of this version."""
        return names.batch_table(self.name, self.label)

    def state_table(self, topic: str) -> str:
        """Return the table in which a version of a view with tables remembers one input."""
        return f"state.{self.name}__{self.label}__{topic}"

    def late_table(self, topic: str) -> str:
        """Return the table of the late events of one input, for a view that keeps them separate."""
        return f"late.{self.name}__{self.label}__{topic}"

    @property
    def checkpoint(self) -> str:
        """The folder of this version's progress, below the environment's checkpoints."""
        return names.checkpoint(self.name, self.label)

    @property
    def consumer_group(self) -> str:
        """The group under which this version's offsets are published."""
        return names.consumer_group(self.query)
