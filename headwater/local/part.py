"""Starting and stopping one part. Called by Terraform, with the part's record in HEADWATER_PART."""

from __future__ import annotations

import os
import sys
from collections import defaultdict, deque
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.local import daemon
from headwater.local.entry import run
from headwater.local.files import write_private
from headwater.local.jvm import link_jvm_parts, spark_home
from headwater.local.kinds import kind_of
from headwater.local.record import Part, Program, record_path
from headwater.local.secret_store import fill, load_secrets
from headwater.local.users import unprivileged_user
from headwater.waiting import wait_until_nothing_is_missing

if TYPE_CHECKING:
    from pathlib import Path

TAIL = 15
MOST_STARTS = 3


def start_part(part: Part) -> None:
    """Write a part's files, prepare its data, start it and wait until it is ready. Safe to repeat."""
    values = load_secrets(part.home) | {"host.spark_home": str(spark_home())}
    link_jvm_parts(part.home)
    daemon.start_daemon(part.home)
    _write_files(part, values)
    kind_of(part).prepare(part)
    daemon.add_part(part, {name: _filled(program, values) for name, program in part.programs.items()})
    try:
        wait_until_ready(part)
        kind_of(part).settle(part)
    except BaseException:
        daemon.remove_part(part.home, part.name)  # else supervisord would try for ever
        raise
    write_private(record_path(part.home, part.name), part.model_dump_json(indent=2))


def stop_part(part: Part) -> None:
    """Stop a part and forget that it should run. Data and logs stay."""
    record_path(part.home, part.name).unlink(missing_ok=True)
    daemon.remove_part(part.home, part.name)
    kind_of(part).forget(part)


def wait_until_ready(part: Part) -> None:
    """Wait until a part does its work, or refuse with the end of the log of the program to blame."""
    starts: dict[str, set[int]] = defaultdict(set)

    def missing() -> str:
        _refuse_if_it_keeps_failing(part, starts)
        return kind_of(part).waiting_for(part)

    if still_missing := wait_until_nothing_is_missing(missing, part.deadline):
        raise Refusal(f'part "{part.name}" did not become ready', detail=still_missing, hint=_logs(part))


def _refuse_if_it_keeps_failing(part: Part, starts: dict[str, set[int]]) -> None:
    """Give a program up that supervisord has started again and again: the deadline would only hide why."""
    states = daemon.program_states(part.home, part.name)
    for state in states:
        starts[state["name"]].add(state["start"])
    failing = [state["name"] for state in states if state["statename"] == "FATAL"]
    failing += [name for name, times in starts.items() if len(times) > MOST_STARTS]
    if failing:
        raise Refusal(
            f'part "{part.name}" keeps failing', detail=f"See {', '.join(failing)}.", hint=_logs(part)
        )


def _write_files(part: Part, values: dict[str, str]) -> None:
    owner = unprivileged_user() if part.unprivileged else None
    part.folder.mkdir(exist_ok=True)
    part.folder.chmod(0o711 if owner else 0o700)
    for path, content in part.files.items():
        write_private(part.home / path, fill(content, values), owner)


def _filled(program: Program, values: dict[str, str]) -> Program:
    return Program.model_validate_json(fill(program.model_dump_json(), values))


def _logs(part: Part) -> str:
    """Return the last lines of the logs of the programs that do not run, or of all if all do."""
    states = daemon.program_states(part.home, part.name)
    blamed = [state["name"] for state in states if state["statename"] != "RUNNING"] or list(part.programs)
    return "\n".join(_tail(daemon.log_file(part.home, name)) for name in blamed)


def _tail(log: Path) -> str:
    if not log.exists():
        return f"{log} does not exist yet."
    with log.open(errors="replace") as lines:
        return f"{log} ends with:\n" + "".join(f"  {line}" for line in deque(lines, TAIL))


if __name__ == "__main__":
    verbs = {"start": start_part, "stop": stop_part}
    sys.exit(run(lambda: verbs[sys.argv[1]](Part.model_validate_json(os.environ["HEADWATER_PART"]))))
