"""What an attacker, or a slip of the hand, may put where a name or a number is expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from headwater.cli import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE_LINE = [
    "'; DROP TABLE versions; --",
    '"',
    "' OR '1'='1",
    "$(id)",
    "`id`",
    "; id",
    "| id",
    "../../../etc/passwd",
    "/etc/passwd",
    "..",
    "{{ 7 * 7 }}",
    "${7*7} %s %(x)s {0}",
    "--help-me",
    "-rf",
    "[link](javascript:alert(1)) <script>",
    "ünïcödé ﷽ 🙈",
    "0001-01-01T00:00:00+23:59",
    '{"0": 1e999}',
    '{"%s": 0}' % ("9" * 5000),
    '{"0": %s}' % ("[" * 4000 + "]" * 4000),
    json.dumps({str(number): 0.5 for number in range(1000)}),
]
NUMBERS = ["nan", "inf", "-1e308", "9" * 5000]
NOT_ONE_LINE = ["a\nb", "a\r\nb", "a\tb", "\x1b[2J", "\u202egnp.exe", "\udcff", "x" * 100_000]
NUL = "a\0b"  # no program can be given one, but a form can
HOSTILE = ["", " ", *ONE_LINE, *NOT_ONE_LINE, NUL]

# Kept as it was typed, for the record, if it is a line of text: data, never more.
FREE_TEXT = {"reason", "by", "because"}


class Argument(NamedTuple):
    """One argument or option of a command."""

    command: tuple[str, ...]
    name: str
    before: tuple[str, ...]
    """The words before it: all that the command must be given besides, and its own option."""
    choice: str = ""
    """What was chosen besides, where that gives other arguments a meaning."""

    def __str__(self) -> str:
        return f"{' '.join(self.command)}: {self.name}{self.choice and f' of a {self.choice}'}"

    def filled_in(self, value: str) -> list[str]:
        """Return the words of a call; after `--`, or behind its `=`, a value is no option."""
        if self.before and self.before[-1].endswith("="):
            return [*self.command, *self.before[:-1], self.before[-1] + value]
        return [*self.command, *self.before, "--", value]


COMMAND = typer.main.get_command(cli)  # as it is called, but built only once
EXAMPLES = {
    "view": "page_views_per_minute",
    "person": "user-0001",
    "table": "users",
    "reason": "asked for it",
    "cart": "cart-0001",
    "name": "page_views_per_minute",
    "into": "shop",
    "day": "2026-01-05",
    "key": "minute_at=2026-11-17T10:05:00Z page=/cart",
}
# What goes with a choice: without it the other fields would be refused before anybody looks at them.
PARTNERS: dict[str, dict[str, Any]] = {
    "backfill": {
        "kind": "backfill",
        "start": "2026-01-05T00:00:00+00:00",
        "until": "2026-01-06T00:00:00+00:00",
        "lateness": 5,
    }
}


def _arguments() -> Iterator[Argument]:
    for words, command in _commands(COMMAND, ()):
        for asked in command.params:
            for choice, partners in _choices(command):
                others = (*_partners(command, asked, partners), *_others(command, asked))
                if asked.param_type_name == "argument":
                    yield Argument(words, asked.name, others, choice)
                elif not asked.is_flag:
                    yield Argument(words, asked.name, (*others, f"{asked.opts[0]}="), choice)


def _choices(command: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return what can be chosen, and what then has to be said besides."""
    yield "", {}
    if any(option.name == "kind" for option in command.params):
        yield from PARTNERS.items()


def _partners(command: Any, asked: Any, partners: dict[str, Any]) -> list[str]:
    return [
        f"{option.opts[0]}={partners[option.name]}"
        for option in command.params
        if option.name in partners and option is not asked
    ]


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, below in command.commands.items():
        yield from _commands(below, (*words, name))


def _others(command: Any, asked: Any) -> tuple[str, ...]:
    """Return what must be given besides, options first."""
    needed = [other for other in command.params if other.required and other is not asked]
    options = [f"{o.opts[0]}={EXAMPLES[o.name]}" for o in needed if o.param_type_name == "option"]
    return (*options, *(EXAMPLES[other.name] for other in needed if other.param_type_name == "argument"))


ARGUMENTS = list(
    _arguments()
)  # every argument, and every option that takes a value, of every command there is
