"""Airflow: its database in shape, its four components alive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.local.files import write_private
from headwater.local.kinds.kind import Kind

if TYPE_CHECKING:
    from headwater.local.record import Part

COMPONENTS = ("metadatabase", "scheduler", "triggerer", "dag_processor")


class Airflow(Kind):
    """The components and their database."""

    def prepare(self, part: Part) -> None:
        """Bring the database to the schema of the installed release: ten seconds, so once per release."""
        stamp = part.folder / "schema.txt"
        release = version("apache-airflow")
        if not stamp.exists() or stamp.read_text() != release:
            _migrate(part.folder)
            write_private(stamp, release)

    def waiting_for(self, part: Part) -> str:
        """Ask for the health of each component."""
        try:
            with urllib.request.urlopen(f"{part.facts['url']}/api/v2/monitor/health", timeout=10) as answer:
                health = json.load(answer)
        except OSError as error:
            return f"Airflow's API server does not answer: {error}"
        ill = [name for name in COMPONENTS if (health.get(name) or {}).get("status") != "healthy"]
        return f"Not healthy yet: {', '.join(ill)}." if ill else ""


def _migrate(folder: Path) -> None:
    airflow = Path(sys.executable).parent / "airflow"
    environment = {
        "AIRFLOW_HOME": str(folder),
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
    }
    done = subprocess.run(
        [airflow, "db", "migrate"], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Refusal(
            "Airflow's database could not be migrated", detail=(done.stdout + done.stderr).strip()[-1200:]
        )
