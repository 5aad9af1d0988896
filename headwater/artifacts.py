"""Artifacts: the code of the streaming apps, packed once, named by its content, and never changed.

Drivers run artifacts, never the working tree; so what a version of a view was made with can always be run
again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater import packing
from headwater.errors import Refusal
from headwater.settings import REPOSITORY
from headwater.shelves import shelf_of

if TYPE_CHECKING:
    from headwater.packing import Packed
    from headwater.settings import Settings

APPS = packing.Program(
    packages=("headwater", "spark_apps"),
    entry_point="import os, sys\n\nfrom spark_apps.__main__ import main\n\nos._exit(main(sys.argv[1:]))\n",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Packed code, and what it says of itself: `manifest` has an entry for each view."""

    hash: str
    path: str
    manifest: dict[str, Any]


def pack(settings: Settings, source: Path = REPOSITORY) -> Artifact:
    """Pack the code below `source`, and keep it unless it does not even load."""
    packed = packing.pack(APPS, source)
    manifest = _manifest(packed)
    return Artifact(hash=packed.hash, path=shelf_of(settings).put(packed), manifest=manifest)


def _manifest(packed: Packed) -> dict[str, Any]:
    """Ask the artifact itself: the control plane must not import Spark, and this may be other code."""
    with tempfile.TemporaryDirectory() as folder:
        artifact = Path(folder, f"{packed.hash}.zip")
        artifact.write_bytes(packed.content)
        asked = subprocess.run(
            [sys.executable, str(artifact), "manifest"], capture_output=True, text=True, check=False
        )
    if asked.returncode != 0:
        raise Refusal(
            f"artifact {packed.hash} does not load",
            detail=asked.stderr.strip().splitlines()[-1] if asked.stderr.strip() else "It said nothing.",
            hint="Run `make test-unit`: the views' own tests say more.",
        )
    manifest: dict[str, Any] = json.loads(asked.stdout)
    return manifest
