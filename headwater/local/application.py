"""Applications of the platform as supervised parts: one program each, running as long as the platform does.

They are no parts of its infrastructure: `make up` starts them once topics and apps are there, and Terraform
knows nothing of them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from headwater.local.part import start_part, stop_part
from headwater.local.record import Part, Program, started_parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def application(name: str, home: Path, *command: str, facts: Mapping[str, str] | None = None) -> Part:
    """Return the part that runs a command of `headwater`; with other facts it is another part."""
    program = Program(
        command=[sys.executable, "-m", "headwater.cli", *command],
        environment={},
        port=None,
        stop_signal="TERM",
        stop_seconds=20,
    )
    return Part(
        name=name,
        home=home,
        files={},
        programs={name: program},
        facts=dict(facts or {}),
        unprivileged=False,
        deadline=60,
    )


def start(part: Part) -> bool:
    """Start an application unless it runs as it should; return whether anything was done."""
    if part in started_parts(part.home):
        return False
    start_part(part)
    return True


def stop(home: Path, name: str) -> None:
    """Stop an application, if it runs."""
    for part in started_parts(home):
        if part.name == name:
            stop_part(part)
