"""The platform from the command line: `python -m headwater.local up|down|clean|status|logs`."""

from __future__ import annotations

import subprocess
import sys

from rich.console import Console
from rich.table import Table

from headwater.errors import Refusal
from headwater.local import platform
from headwater.local.entry import run
from headwater.local.parts import observe
from headwater.settings import Settings


def main(arguments: list[str]) -> None:
    """Do what the first argument says."""
    match arguments:
        case ["up"]:
            platform.up()
        case ["down"]:
            platform.down()
        case ["clean"]:
            platform.clean()
        case ["status"]:
            print_status(Settings.load(), Console())
        case ["logs", part]:
            subprocess.run(["tail", "-n", "100", "-F", *platform.log_paths(part)], check=False)
        case _:
            raise Refusal("which command?", hint="One of up, down, clean, status, logs PART.")


def print_status(settings: Settings, console: Console) -> None:
    """Print a table of what runs."""
    table = Table("part", "state", "pid", "port", "uptime", box=None)
    for status in observe(settings):
        cells = (status.pid, status.port, status.uptime)
        table.add_row(status.name, status.state, *("" if cell is None else str(cell) for cell in cells))
    console.print(table)


if __name__ == "__main__":
    sys.exit(run(lambda: main(sys.argv[1:])))
