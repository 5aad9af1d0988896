"""The proof of a backfill, and its outcome: which rows it changes, and whether it may.

A backfill is meant to change rows, so no budget stops it: the person who approves sees the difference. Checks
that fail do stop it, and so do windows that are still open.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict, computed_field

from headwater.markdown import bullets, code, table
from headwater.replay.proof import CheckResult, Difference, checks_section, samples_of

RECOMPUTED = "recomputed"


class Outcome(BaseModel):
    """What a backfill has put in place; travels in its commit, and is kept with its replay."""

    model_config = ConfigDict(frozen=True)

    replay: str | None = None  # its key
    first: datetime  # windows that start then or later
    after: datetime  # and before then
    lateness: timedelta | None = None  # its own, if it admits late events
    rows: int  # that are there now
    equal: int = 0  # of them, rows that were the same before
    different: int = 0
    only_live: int = 0  # rows that were there, and are not any more
    only_candidate: int = 0  # rows that were not there

    @property
    def changed(self) -> int:
        """How many rows are not what they were."""
        return self.different + self.only_live + self.only_candidate

    def in_words(self, proof: BackfillProof) -> str:
        """Say what was done, and whether it is what was proved."""
        said = (
            f"{self.rows:,} rows of view {proof.view} are in place, in one commit; {self.changed:,} changed"
        )
        if self.changed == proof.changed:
            return f"{said}, as proved"
        return f"{said}, not {proof.changed:,} as proved: the live query has read further since"


class BackfillProof(BaseModel):
    """The rows of a stretch of time as they are, and as they would be."""

    model_config = ConfigDict(frozen=True)

    view: str
    version: str
    first: datetime  # windows that start then or later
    after: datetime  # and before then
    made_at: datetime
    lateness: timedelta | None = None
    late_events: int = 0  # that are admitted
    otherwise: int = 0  # rows that differ even without them
    checks: tuple[CheckResult, ...]
    difference: Difference
    faults: tuple[str, ...] = ()  # why these windows cannot be replaced, in words

    @property
    def changed(self) -> int:
        """How many rows would not be what they are."""
        return self.difference.compared - self.difference.equal

    @computed_field  # type: ignore[prop-decorator]
    @property
    def holds(self) -> bool:
        """Whether the rows may be put in place."""
        return not self.problems

    @computed_field  # type: ignore[prop-decorator]
    @property
    def problems(self) -> list[str]:
        """What keeps the rows from being put in place, a sentence each."""
        return [*self.faults, *self._told("fail")]

    @property
    def warnings(self) -> list[str]:
        """What a person should know before approving, a sentence each."""
        warnings = self._told("warn")
        if self.lateness is not None and self.otherwise:
            warnings.append(f"{self.otherwise:,} rows differ even without the late events.")
        return warnings

    @property
    def question(self) -> str:
        """What a person is asked once the proof holds."""
        rows = f"{self.changed:,} of {self.difference.compared:,} rows"
        return f"Shall {rows} of {self.view} {self.version} change?"

    def markdown(self) -> str:
        """Write the proof for a person: verdict, what changes, warnings, then the figures."""
        sections = [
            self._verdict(),
            self._changes(),
            bullets("Warnings", self.warnings),
            self._difference(),
            checks_section(self.checks),
        ]
        return "\n\n".join(section for section in sections if section) + "\n"

    def _told(self, severity: str) -> list[str]:
        failed = [check for check in self.checks if not check.success and check.severity == severity]
        return [f"Expectation {check} does not hold: {check.seen}." for check in failed]

    def _verdict(self) -> str:
        title = "### The proof holds" if self.holds else "### The proof does not hold"
        said = (
            f"For a backfill of view {code(self.view)} ({self.version}), windows that start from "
            f"{self.first:%Y-%m-%d %H:%M:%S} up to {self.after:%Y-%m-%d %H:%M:%S}, made "
            f"{self.made_at:%Y-%m-%d %H:%M} UTC."
        )
        return "\n\n".join(filter(None, [title, said, bullets("Problems", self.problems)]))

    def _changes(self) -> str:
        found = self.difference
        if not self.changed:
            said = f"**Nothing changes**: all {found.compared:,} rows are what the log says."
        else:
            said = (
                f"**{self.changed:,} of {found.compared:,} rows change.** That is what a backfill is for: "
                "the view's budget for differences does not count."
            )
        return f"{said}{self._because_of_late_events()}"

    def _because_of_late_events(self) -> str:
        if self.lateness is None:
            return ""
        minutes = self.lateness // timedelta(minutes=1)
        return (
            f" {self.late_events:,} late events are admitted, up to {minutes:,} minutes late; without them "
            f"{self.otherwise:,} rows would differ."
        )

    def _difference(self) -> str:
        found = self.difference
        counts = table(
            ("rows compared", "equal", "different", f"only in {found.live}", f"only {RECOMPUTED}"),
            [
                tuple(
                    f"{number:,}"
                    for number in (
                        found.compared,
                        found.equal,
                        found.different,
                        found.only_live,
                        found.only_candidate,
                    )
                )
            ],
        )
        samples = samples_of(found, RECOMPUTED) if found.samples else ""
        return "\n\n".join(filter(None, [f"#### {found.live} against the log", counts, samples]))
