"""Forms: what people ask for, checked in words before anything is done.

The same models stand behind the forms in Airflow, whose own check a run that was triggered otherwise may
never have met.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import cache
from reprlib import Repr
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)

from headwater import declared, names
from headwater.errors import Refusal
from headwater.topics import load_topics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RUN = re.compile(r"[A-Za-z0-9_.~:+-]{1,250}")  # what Airflow lets the id of a run be, unless told otherwise
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
FIRST_DAY = date(1971, 1, 1)
LONGEST_LINE = 200
MOST = 100  # as many as anybody may name at once
MOST_TOLD = 10
SHOWN = Repr()
SHOWN.maxstring = SHOWN.maxother = 60  # so much of a wrong value is repeated


def _view(name: str) -> str:
    if name not in declared.views():
        raise ValueError(f"is not a view; there are {', '.join(declared.views())}")
    return name


def _app(name: str) -> str:
    if name not in declared.apps():
        raise ValueError(f"is not an app; there are {', '.join(declared.apps())}")
    return name


def _topic(name: str) -> str:
    if name not in load_topics():
        raise ValueError("is not a topic; see `headwater topics plan`")
    return name


def _label(text: str) -> str:
    if not names.LABEL.fullmatch(text):
        raise ValueError("does not name a version; write it like v2, or v2b2")
    return text


def _id(text: str) -> str:
    if not ID.fullmatch(text):
        raise ValueError("cannot be an id; letters, digits, dots, hyphens and underscores can")
    return text


def _run(text: str) -> str:
    if not RUN.fullmatch(text):
        raise ValueError("cannot name a run; letters, digits and _ . ~ : + - can")
    return text


def _line(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > LONGEST_LINE:
        raise ValueError(f"cannot be kept; write one line of at most {LONGEST_LINE} letters")
    return text


def _day(text: object) -> date:
    try:
        day = datetime.strptime(str(text), "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise ValueError("is not a day; write it like 2026-11-16") from None
    if day < FIRST_DAY:
        raise ValueError(f"is before the first day that a record can be of, {FIRST_DAY}")
    return day


View = Annotated[str, AfterValidator(_view)]
App = Annotated[str, AfterValidator(_app)]
Topic = Annotated[str, AfterValidator(_topic)]
Label = Annotated[str, AfterValidator(_label)]
Day = Annotated[date, BeforeValidator(_day)]  # in UTC
Id = Annotated[str, AfterValidator(_id)]
Run = Annotated[str, AfterValidator(_run)]
Line = Annotated[str, AfterValidator(_line)]  # free text, for the record: never more than data


class Form(BaseModel):
    """Something a person has filled in, in Airflow or on the command line."""

    HINT: ClassVar[str] = "Correct these fields, and ask again."

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def check(cls, filled_in: Mapping[str, Any]) -> Self:
        """Accept a form, or refuse it and name each field that is wrong."""
        try:
            return cls.model_validate(dict(filled_in))
        except ValidationError as wrong:
            raise Refusal(
                "the form could not be accepted",
                detail="\n".join(_sentence(error) for error in wrong.errors()[:MOST_TOLD]),
                hint=cls.HINT,
            ) from None


class Deployment(Form):
    """What to do with apps; none named means all."""

    apps: Annotated[tuple[App, ...], Field(max_length=MOST)] | None = None
    action: Literal["deploy", "restart", "stop"] = "deploy"

    model_config = ConfigDict(strict=False)  # a list from a form becomes a tuple


class Rollback(Form):
    """Which view goes back, and to which version: by default the one before."""

    view: View
    version: Label | None = None


class Erasure(Form):
    """Who is erased, and why: for the record, which is kept. So the reason names nobody."""

    person: Id
    reason: Line


class Views(Form):
    """Which views are meant; none named means all."""

    views: Annotated[tuple[View, ...], Field(max_length=MOST)] | None = None

    model_config = ConfigDict(strict=False)


class BatchRun(Views):
    """Which views the batch layer computes, and which day: by default what is due."""

    day: Day | None = None


class Maintenance(Form):
    """Whether maintenance is done, or only says what it would do."""

    dry_run: bool = False


@cache
def checked(field: str, kind: Any) -> Callable[[str], Any]:
    """Return the check of a field that comes alone, as on the command line: what a form would say of it."""
    fields: dict[str, Any] = {field: (kind, ...)}
    form = create_model(field, __base__=Form, **fields)

    def text(answer: str) -> Any:
        return getattr(form.check({field: answer}), field)

    return text


def _sentence(error: Any) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "form"
    what = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f'"{field}" is missing.'
    return f'"{field}": {SHOWN.repr(error["input"])} {what[:1].lower()}{what[1:]}.'
