"""Looking at a running app from a test: its driver, its processes, how far it has read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local.parts import observe
from headwater.registry import apps, connect, heartbeats

if TYPE_CHECKING:
    from headwater.settings import Settings
    from tests.streams import Log

APP = "traffic"


def has_read_everything(log: Log, *apps: str) -> bool:
    """Say whether every query of the apps has read what the log holds now."""
    with connect(log.settings) as registry:
        beats = heartbeats.all_heartbeats(registry)
        running = registry.execute(
            "SELECT name, queries FROM apps WHERE name = ANY(%s)", [list(apps or [APP])]
        )
        wanted = {query for app in running for query in app["queries"]}
    ends = {str(partition): end for partition, end in log.ends().items()}
    reached = {beat["query"]: (beat["offsets"] or {}).get(log.topic.name) for beat in beats}
    return bool(wanted) and all(reached.get(query) == ends for query in wanted)


def driver_of(settings: Settings, app: str = APP) -> str:
    with connect(settings) as registry:
        row = apps.app(registry, app)
    assert row is not None
    return str(row["driver"])


def process(settings: Settings, *words: str) -> int:
    """Return the process of this instance whose command line has all these words."""
    found = [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and all(word in _command(folder) for word in (*words, settings.home))
    ]
    assert found, f"no process has {words} on its command line"
    return found[0]


def program(settings: Settings, name: str) -> int:
    (pid,) = [status.pid for status in observe(settings) if status.name == name]
    assert pid is not None
    return pid


def _command(folder: Path) -> str:
    try:
        return (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""
