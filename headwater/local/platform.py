"""The platform from `make up` to `make clean`."""

from __future__ import annotations

import fcntl
import json
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from headwater.errors import Refusal
from headwater.local import carts, daemon, jvm, notifier, preflight, shop, terraform
from headwater.local.files import write_private
from headwater.local.instance import start_instance, stop_instance
from headwater.local.part import wait_until_ready
from headwater.local.progress import Board
from headwater.local.record import INFRASTRUCTURE, started_parts
from headwater.local.secret_store import secrets_file
from headwater.local.steps import STEPS, Step
from headwater.local.summary import print_summary
from headwater.local.variables import FILE, choose_variables, remember
from headwater.settings import Settings, instance_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

JVM = "JVM parts"
RUNNING = "everything ready"


def up(
    home: Path | None = None, console: Console | None = None, steps: Sequence[Step] | None = None
) -> Settings:
    """Bring the instance up: parts, then the steps that need them. Repeating it changes nothing."""
    steps = STEPS if steps is None else steps
    home, console = (home or instance_home()).absolute(), console or Console()
    preflight.check(home)
    with _locked(home):
        board = Board([JVM, "instance", *INFRASTRUCTURE, RUNNING, *(label for label, _ in steps)], console)
        with board.shown():
            changed = _start_parts(home, board)
            settings = Settings.load(home)
            changed |= _run_steps(settings, steps, board)
    print_summary(settings, console, changed=changed)
    return settings


def down(home: Path | None = None, console: Console | None = None) -> None:
    """Stop every process of the instance. Data stays."""
    home, console = (home or instance_home()).absolute(), console or Console()
    if not home.exists():
        console.print(f'instance "{home.name}" does not exist: nothing to stop')
        return
    with _locked(home):
        board = Board([*reversed(INFRASTRUCTURE), "instance"], console)
        with board.shown():
            _stop_parts(home, board)
    console.print(f'instance "{home.name}" is stopped; its data stays in {home}', soft_wrap=True)


def clean(home: Path | None = None, console: Console | None = None) -> None:
    """Stop the instance and remove everything it has kept."""
    home, console = (home or instance_home()).absolute(), console or Console()
    traces = (secrets_file(home), home / FILE)
    if home.exists() and any(home.iterdir()) and not any(trace.exists() for trace in traces):
        raise Refusal(
            f"{home} is not the home of an instance",
            detail=f"It has no {' and no '.join(trace.name for trace in traces)}.",
            hint="Check HEADWATER_HOME, HEADWATER_DATA and HEADWATER_INSTANCE, or remove it yourself.",
        )
    down(home, console)
    shutil.rmtree(home, ignore_errors=True)
    console.print(f'the data of instance "{home.name}" is removed')


def log_paths(part: str, home: Path | None = None) -> list[Path]:
    """Return the logs of a part, or the log of one of its programs."""
    home = (home or instance_home()).absolute()
    programs = {"supervisord": ["supervisord"]}
    for known in started_parts(home):
        programs |= {name: [name] for name in known.programs} | {known.name: sorted(known.programs)}
    if part not in programs:
        raise Refusal(
            f'there is no part "{part}"',
            detail=f"There are logs of: {', '.join(sorted(programs))}.",
            hint="Name one of these, as in `make logs PART=kafka`.",
        )
    return [daemon.log_file(home, name) for name in programs[part]]


def _start_parts(home: Path, board: Board) -> bool:
    remember(home, choose_variables(home))
    with board.step(JVM):
        jvm.resolve_jvm_parts()
    asleep = _is_asleep(home)
    terraform.initialise(home)
    changes = terraform.apply(home, board.on)
    board.leave_unchanged(["instance", *INFRASTRUCTURE])
    write_private(home / "environment.json", json.dumps(terraform.outputs(home), indent=2))
    with board.step(RUNNING) as note:
        revived = (["supervisord"] if asleep else []) + _revive(home)
        note(f"started again: {', '.join(revived)}" if revived else "")
    return bool(changes or revived)


def _is_asleep(home: Path) -> bool:
    """Tell whether parts should run and nothing does, as after a reboot."""
    return bool(started_parts(home)) and not daemon.answers(home)


def _revive(home: Path) -> list[str]:
    """Start what Terraform believes to be running and is not; return the names."""
    revived = []
    start_instance(home)
    for part in started_parts(home):
        revived += daemon.start_stopped_programs(home, part.name)
        wait_until_ready(part)
    return revived


def _run_steps(settings: Settings, steps: Sequence[Step], board: Board) -> bool:
    changed = False
    for label, run in steps:
        with board.step(label) as note:
            done = run(settings)
            note(done.note)
        changed |= done.changed
    return changed


def _stop_parts(home: Path, board: Board) -> None:
    """Let Terraform stop the parts, then see to it that nothing is left, whatever the state knew."""
    shop.stop(home)
    carts.stop(home)
    notifier.stop(home)
    if (home / "terraform/terraform.tfstate").exists():
        remember(home, choose_variables(home))  # an instance made by hand has no file of them yet
        terraform.initialise(home)
        terraform.destroy(home, board.on)
    stop_instance(home)


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """Let one command at a time work on an instance."""
    with (home / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refusal(
                f'instance "{home.name}" is busy',
                detail="Another `make up`, `make down` or `make clean` is at work on it.",
                hint="Wait for it to end, or choose another instance with HEADWATER_INSTANCE.",
            ) from None
        yield
