"""The first step on a fresh machine: check it, then make the Python environment.

`python3 -m headwater.local.bootstrap` makes the environment; with the argument `up` it first checks all that
`make up` needs, so that a newcomer does not wait minutes for a refusal. Standard library only. It imports the
rest late: even the imports need Python 3.11.
"""

from __future__ import annotations

import sys

PYTHON_WANTED = (3, 11)


def main(arguments: list[str]) -> None:
    """Check what the command needs, then make the Python environment."""
    from headwater.local import preflight, room
    from headwater.local.python_environment import ensure_environment
    from headwater.settings import instance_home

    if arguments == ["up"]:
        preflight.check(instance_home().absolute())
    else:
        room.check(room.environment())
    ensure_environment()


def python_complaint(version: tuple[int, ...]) -> str:
    """Return what is wrong with this Python; nothing if it will do."""
    if version >= PYTHON_WANTED:
        return ""
    wanted, found = (".".join(map(str, v[:2])) for v in (PYTHON_WANTED, version))
    return (
        f"Python {found} is too old\nHeadwater needs {wanted} or newer.\n"
        f"Install it with `sudo apt-get install python{wanted} python{wanted}-venv`, "
        f"then run `make PYTHON=python{wanted} up`."
    )


if __name__ == "__main__":
    if complaint := python_complaint(sys.version_info[:3]):
        sys.exit(complaint)
    from headwater.local.entry import run

    sys.exit(run(lambda: main(sys.argv[1:])))
