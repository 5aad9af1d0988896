"""Artifacts: the code of the streaming apps, packed once, named by its content, and never changed.

Drivers run artifacts, never the working tree; so what a version of a view was made with can always be run
again. The same code gives the same bytes and the same name, whoever packs it and when.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import Refusal
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from headwater.settings import Settings

PACKAGES = ("headwater", "spark_apps")
SUFFIXES = (".py", ".yaml", ".sql")
ENTRY_POINT = "import os, sys\n\nfrom spark_apps.__main__ import main\n\nos._exit(main(sys.argv[1:]))\n"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first moment a zip file can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Packed code, and what it says of itself: `manifest` has an entry for each view."""

    hash: str
    path: str
    manifest: dict[str, Any]


def pack(settings: Settings, source: Path = REPOSITORY) -> Artifact:
    """Pack the code below `source`; nothing is written if that very code has been packed before."""
    content = _zip(source)
    name = hashlib.sha256(content).hexdigest()[:16]
    if settings.artifacts.startswith("s3://"):
        return _pack_far_away(settings, name, content)
    path = Path(settings.artifacts) / f"{name}.zip"
    _write(path, content)
    return Artifact(hash=name, path=str(path), manifest=_manifest(path))


def _write(path: Path, content: bytes) -> None:
    """Write a file beside its place, then rename: it is whole or absent. One that is there is young again."""
    if path.exists():
        path.touch()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(content)
        unfinished.rename(path)


def _pack_far_away(settings: Settings, name: str, content: bytes) -> Artifact:
    """Keep the code in S3, and beside it the entry point: EMR runs a .py that finds the rest in a .zip."""
    import boto3  # takes half a second: only who packs for AWS pays for it

    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / f"{name}.zip"
        _write(here, content)
        manifest = _manifest(here)
    bucket = boto3.resource("s3").Bucket(settings.artifacts.removeprefix("s3://"))
    if not list(bucket.objects.filter(Prefix=f"{name}.zip")):
        bucket.put_object(Key=f"{name}.py", Body=ENTRY_POINT.encode())
        bucket.put_object(Key=f"{name}.zip", Body=content)  # last: where it is, the other is, too
    return Artifact(hash=name, path=f"{settings.artifacts}/{name}.zip", manifest=manifest)


def packed_before(settings: Settings, moment: datetime) -> list[Path]:
    """Return the artifacts that nobody has packed since; those in S3 are not looked at."""
    found = Path(settings.artifacts).glob("*.zip")
    return sorted(path for path in found if path.stat().st_mtime < moment.timestamp())


def _zip(source: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", LONG_AGO), ENTRY_POINT)
        for file in _files(source):
            name = file.relative_to(source).as_posix()
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _files(source: Path) -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted(file for file in (source / package).rglob("*") if file.suffix in SUFFIXES)


def _manifest(artifact: Path) -> dict[str, Any]:
    """Ask the artifact itself: the control plane must not import Spark, and this may be other code."""
    asked = subprocess.run(
        [sys.executable, str(artifact), "manifest"], capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        raise Refusal(
            f"artifact {artifact.stem} does not load",
            detail=asked.stderr.strip().splitlines()[-1] if asked.stderr.strip() else "It said nothing.",
            hint="Run `make test-unit`: the views' own tests say more.",
        )
    manifest: dict[str, Any] = json.loads(asked.stdout)
    return manifest
