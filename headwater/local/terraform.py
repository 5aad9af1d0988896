"""Terraform: run for one instance, its events read as they happen."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from headwater.errors import Refusal
from headwater.local.tools import terraform_environment
from headwater.local.variables import FILE
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT = REPOSITORY / "infra/environments/local"
State = Literal["working", "done", "failed"]
Listener = Callable[[str, State], None]


@dataclass(slots=True)
class Outcome:
    """What a run of Terraform changed, and what went wrong."""

    changes: int = 0
    said: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def initialise(home: Path) -> None:
    """Initialise the environment with the state of the instance at `home`."""
    (home / "terraform").mkdir(parents=True, exist_ok=True)
    arguments = ["-input=false", "-reconfigure", f"-backend-config=path={home}/terraform/terraform.tfstate"]
    _run(home, "init", *arguments)


def apply(home: Path, listen: Listener) -> int:
    """Make the instance as described; return how many parts were started, changed or removed."""
    return _follow(home, "apply", listen)


def destroy(home: Path, listen: Listener) -> int:
    """Stop every part; return how many there were."""
    return _follow(home, "destroy", listen)


def outputs(home: Path) -> dict[str, Any]:
    """Return the outputs of the environment."""
    answer = json.loads(_run(home, "output", "-json"))
    return {name: output["value"] for name, output in answer.items()}


def environment(home: Path) -> dict[str, str]:
    """Return the variables Terraform runs with for one instance."""
    return terraform_environment() | {"TF_DATA_DIR": f"{home}/terraform/data"}


def _run(home: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["terraform", f"-chdir={ENVIRONMENT}", *arguments],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refusal(
            f"`terraform {arguments[0]}` failed", detail=(done.stderr or done.stdout).strip()[-1500:]
        )
    return done.stdout


def _follow(home: Path, command: str, listen: Listener) -> int:
    """Run a command that changes things and tell the listener, part by part, what happens."""
    outcome = Outcome()
    for event in _events(home, command, "-json", "-input=false", "-auto-approve", f"-var-file={home}/{FILE}"):
        _take(event, outcome, listen)
    if outcome.errors:
        _refuse(command, outcome)
    return outcome.changes


def _events(home: Path, *arguments: str) -> Iterator[dict[str, Any]]:
    command = ["terraform", f"-chdir={ENVIRONMENT}", *arguments]
    with subprocess.Popen(
        command,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield _event(line.decode(errors="replace"))
    if process.returncode:
        yield {"type": "exit", "@message": f"terraform ended with status {process.returncode}"}


def _event(line: str) -> dict[str, Any]:
    try:
        event: dict[str, Any] = json.loads(line)
    except ValueError:
        event = {"type": "text", "@message": line.strip()}
    return event


def _take(event: dict[str, Any], outcome: Outcome, listen: Listener) -> None:
    hook = event.get("hook") or {}
    part = part_of((hook.get("resource") or {}).get("addr", ""))
    match event.get("type"):
        case "apply_start":
            listen(part, "working")
        case "apply_complete":
            listen(part, "done")
        case "apply_errored":
            listen(part, "failed")
            outcome.failed.append(part)
        case "provision_progress":
            outcome.said[part].append(hook.get("output", ""))
        case "change_summary" if event["changes"]["operation"] != "plan":
            outcome.changes = sum(event["changes"][kind] for kind in ("add", "change", "remove"))
        case "diagnostic" if event.get("@level") == "error":
            outcome.errors.append(
                f"{event['diagnostic']['summary']}\n{event['diagnostic'].get('detail', '')}"
            )
        case "exit" if not outcome.errors:
            outcome.errors.append(event["@message"])


def part_of(address: str) -> str:
    """Return the part that a resource belongs to: `module.kafka.module.process…` is kafka."""
    return address.split(".")[1] if address.startswith("module.") else address


def _refuse(command: str, outcome: Outcome) -> None:
    """Refuse in the words of the part that failed; in Terraform's own if no part spoke."""
    words = [
        line for part in outcome.failed for line in outcome.said[part] if not line.startswith("Executing:")
    ]
    if not words:
        raise Refusal(f"`terraform {command}` failed", detail="\n".join(outcome.errors).strip())
    raise Refusal(words[0], detail="\n".join(words[1:]))
