"""The proof of a candidate: what was looked at, what was found, and whether it may become live.

It has three parts: the view's expectations on the candidate's rows, the candidate's rows against the live
ones, and the law that no record is lost. It is made by the prove job, stored with the version, and read by
people: the verdict comes first, in words, and the figures follow.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, computed_field

from headwater.markdown import arguments, bullets, code, table, text

Severity = Literal["fail", "warn"]


class CheckResult(BaseModel):
    """What one expectation found; `error` when it could not be evaluated, which is no success."""

    model_config = ConfigDict(frozen=True)

    expectation: str
    arguments: dict[str, Any]
    severity: Severity
    success: bool
    observed: str | None = None
    unexpected: int | None = None
    samples: tuple[str, ...] = ()
    error: str | None = None

    def __str__(self) -> str:
        return f"{self.expectation}({arguments(self.arguments)})"

    @property
    def seen(self) -> str:
        """What was seen, in a few words."""
        if self.error is not None:
            return f"could not be evaluated: {self.error}"
        if self.unexpected:
            samples = f", such as {', '.join(self.samples)}" if self.samples else ""
            return f"{self.unexpected:,} unexpected{samples}"
        return self.observed or "as expected"


class DifferentRow(BaseModel):
    """A row that the two versions do not agree on, both sides as text; None where a side has no such row."""

    model_config = ConfigDict(frozen=True)

    keys: dict[str, str]
    live: dict[str, str] | None
    candidate: dict[str, str] | None


class Difference(BaseModel):
    """Old against new, on closed windows: rows that both versions must have finished."""

    model_config = ConfigDict(frozen=True)

    live: str
    live_snapshot: int | None = None
    candidate_snapshot: int | None = None
    incomparable: str | None = None  # why the two cannot be compared at all
    columns_of_one: tuple[str, ...] = ()  # not compared: the other version does not have them
    uncompared: tuple[str, ...] = ()  # columns that versions need not agree on
    closed_from: datetime | None = None
    closed_until: datetime | None = None
    before_seam: int = 0  # rows of the live version that are too old for the candidate to have
    admitted: int = 0  # rows of the live version that hold late events which a backfill has let in
    budget: float = 0.0
    equal: int = 0
    different: int = 0
    only_live: int = 0
    only_candidate: int = 0
    looks: int = 1
    samples: tuple[DifferentRow, ...] = ()

    @property
    def compared(self) -> int:
        """How many rows there were to compare."""
        return self.equal + self.different + self.only_live + self.only_candidate

    @property
    def share(self) -> float:
        """Which part of the rows differs."""
        return (self.compared - self.equal) / self.compared if self.compared else 0.0


class PartitionLedger(BaseModel):
    """What became of the offsets of one partition: all of them, from `start` up to, not including, `end`."""

    model_config = ConfigDict(frozen=True)

    topic: str
    partition: int
    start: int
    end: int
    used: int
    quarantined: int
    late: int
    repeated: int
    gaps_expected: bool = False  # a compacted topic has offsets without a record

    @property
    def gaps(self) -> int:
        """Offsets from which no record arrived; less than none if records arrived twice."""
        return self.end - self.start - (self.used + self.quarantined + self.late + self.repeated)


class Conservation(BaseModel):
    """The law that nothing is lost: every offset is accounted for, by batches that follow each other."""

    model_config = ConfigDict(frozen=True)

    batches: int
    partitions: tuple[PartitionLedger, ...]
    faults: tuple[str, ...] = ()  # what is wrong with the history itself, in words
    warnings: tuple[str, ...] = ()


class Proof(BaseModel):
    """Everything that speaks for or against a candidate."""

    model_config = ConfigDict(frozen=True)

    view: str
    candidate: str
    made_at: datetime
    checks: tuple[CheckResult, ...]
    difference: Difference | None  # None: no version is live, so there is nothing to compare with
    conservation: Conservation

    @computed_field  # type: ignore[prop-decorator]
    @property
    def holds(self) -> bool:
        """Whether the candidate may become live."""
        return not self.problems

    @computed_field  # type: ignore[prop-decorator]
    @property
    def problems(self) -> list[str]:
        """What keeps the candidate from becoming live, a sentence each."""
        failed = [check for check in self.checks if not check.success and check.severity == "fail"]
        return [
            *(f"Expectation {check} does not hold: {check.seen}." for check in failed),
            *(_difference_problems(self.difference) if self.difference else ()),
            *_conservation_problems(self.conservation),
        ]

    @property
    def warnings(self) -> list[str]:
        """What a person should know before approving, a sentence each."""
        warned = [check for check in self.checks if not check.success and check.severity == "warn"]
        return [
            *(f"Expectation {check} does not hold: {check.seen}." for check in warned),
            *_difference_warnings(self.difference),
            *self.conservation.warnings,
        ]

    @property
    def question(self) -> str:
        """What a person is asked once the proof holds."""
        return f"Shall readers of {self.view} see {self.candidate}?"

    def markdown(self) -> str:
        """Write the proof for a person: verdict, problems, warnings, then a section for each part."""
        sections = [_verdict(self), bullets("Warnings", self.warnings), checks_section(self.checks)]
        if self.difference is not None:
            sections.append(difference_section(self.difference, self.candidate))
        sections.append(_conservation_section(self.conservation))
        return "\n\n".join(section for section in sections if section) + "\n"


def _difference_problems(found: Difference) -> list[str]:
    if found.incomparable is not None:
        said = f"The candidate is not comparable with {found.live}: {found.incomparable}."
        return [said] if found.budget < 1 else []
    if found.share <= found.budget:
        return []
    differ = found.compared - found.equal
    return [
        f"{differ:,} of {found.compared:,} rows differ from {found.live} ({found.share:.2%}); "
        f"the view's budget is {found.budget:.2%}."
    ]


def _difference_warnings(found: Difference | None) -> list[str]:
    if found is None:
        return ["There is no live version to compare with."]
    if found.incomparable is not None:
        said = f"The candidate is not comparable with {found.live}: {found.incomparable}."
        return [said] if found.budget >= 1 else []
    warnings = []
    if not found.compared:
        warnings.append(f"No row was compared with {found.live}: no window is closed in both versions.")
    if found.before_seam:
        warnings.append(
            f"Readers would lose {found.before_seam:,} rows: {found.live} has them of windows before "
            f"{found.closed_from:%Y-%m-%d %H:%M:%S}, where the candidate begins."
        )
    if found.admitted:
        warnings.append(
            f"{found.admitted:,} rows of {found.live} were not compared: a backfill has let late events in. "
            "The candidate leaves them out; backfill it, too, if they are to stay."
        )
    if found.columns_of_one:
        warnings.append(f"Columns that only one version has: {', '.join(found.columns_of_one)}.")
    return warnings


def _conservation_problems(found: Conservation) -> list[str]:
    lost = [ledger for ledger in found.partitions if ledger.gaps > 0 and not ledger.gaps_expected]
    twice = [ledger for ledger in found.partitions if ledger.gaps < 0]
    return [
        *found.faults,
        *(f"Records lost from {one.topic} partition {one.partition}: {one.gaps:,}." for one in lost),
        *(f"Records counted twice of {one.topic} partition {one.partition}: {-one.gaps:,}." for one in twice),
    ]


def _verdict(proof: Proof) -> str:
    name = f"candidate {code(proof.candidate)} of view {code(proof.view)}"
    made = f"{proof.made_at:%Y-%m-%d %H:%M} UTC"
    if proof.holds:
        return f"### The proof holds\n\nFor {name}, made {made}."
    problems = "\n".join(f"- {text(problem)}" for problem in proof.problems)
    return f"### The proof does not hold\n\nFor {name}, made {made}:\n\n{problems}"


def checks_section(checks: tuple[CheckResult, ...]) -> str:
    """Write what each expectation found."""
    held = sum(check.success for check in checks)
    rows = [
        (
            "holds" if check.success else "**fails**" if check.severity == "fail" else "warns",
            code(check.expectation),
            code(arguments(check.arguments)),
            text(check.seen),
        )
        for check in checks
    ]
    return f"#### Expectations: {held} of {len(checks)} hold\n\n" + table(
        ("", "expectation", "arguments", "seen"), rows
    )


def difference_section(found: Difference, candidate: str) -> str:
    """Write the difference of two makers of rows, `live` and the other, for a person."""
    title = f"#### {candidate} against {found.live}"
    if found.incomparable is not None:
        return f"{title}: not comparable\n\n{text(found.incomparable)}"
    counts = table(
        ("rows compared", "equal", "different", f"only in {found.live}", f"only in {candidate}", "budget"),
        [
            (
                *(
                    f"{number:,}"
                    for number in (
                        found.compared,
                        found.equal,
                        found.different,
                        found.only_live,
                        found.only_candidate,
                    )
                ),
                f"{found.budget:.2%}",
            )
        ],
    )
    parts = [f"{title}: {found.share:.2%} differ", _closed(found), counts]
    if found.samples:
        parts.append(samples_of(found, candidate))
    return "\n\n".join(parts)


def _closed(found: Difference) -> str:
    start = f" from {found.closed_from:%Y-%m-%d %H:%M:%S}" if found.closed_from else ""
    end = f" up to {found.closed_until:%Y-%m-%d %H:%M:%S}" if found.closed_until else ""
    looks = "once" if found.looks == 1 else f"{found.looks} times; only rows that differed each time count"
    besides = f" Not compared: {', '.join(map(code, found.uncompared))}." if found.uncompared else ""
    return f"Closed windows{start}{end}, compared {looks}.{besides}"


def samples_of(found: Difference, candidate: str) -> str:
    """Write the first rows that differ, both sides of each."""
    keys = list(found.samples[0].keys)
    rows = [
        (*(code(row.keys[key]) for key in keys), _side(row, row.live), _side(row, row.candidate))
        for row in found.samples
    ]
    return table((*keys, found.live, candidate), rows)


def _side(row: DifferentRow, side: dict[str, str] | None) -> str:
    if side is None:
        return "no row"
    values = {name: value for name, value in side.items() if name not in row.keys}
    return code(arguments(values)) if values else "the row"


def _conservation_section(found: Conservation) -> str:
    rows = [
        (
            text(one.topic),
            str(one.partition),
            f"{one.start:,} to {one.end:,}",
            *(f"{number:,}" for number in (one.used, one.quarantined, one.late, one.repeated, one.gaps)),
        )
        for one in found.partitions
    ]
    header = ("topic", "partition", "offsets", "used", "quarantined", "late", "repeated", "gaps")
    return f"#### Where every record went, in {found.batches:,} batches\n\n" + table(header, rows)
