"""Checkpoints, seen without Spark: how far a query has let time pass, and removing what nobody needs."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.files import files_of

if TYPE_CHECKING:
    from headwater.settings import Settings


def watermark(settings: Settings, checkpoint: str, batch: int) -> datetime:
    """Return up to when a batch gives out rows that appear once, from the plan that Spark wrote for it."""
    place = f"{settings.checkpoints}/{checkpoint}/offsets/{batch}"
    with files_of(settings.warehouse).new_input(place).open() as file:
        _version, metadata, *_sources = file.read().decode().splitlines()
    return datetime.fromtimestamp(json.loads(metadata)["batchWatermarkMs"] / 1000, UTC)


def remove(settings: Settings, checkpoint: str, table: str) -> None:
    """Remove the checkpoint of a version, and those of the late events kept beside its table."""
    name = table.split(".")[-1]
    remove_folder(settings, checkpoint)
    if settings.checkpoints.startswith("s3://"):
        _remove_far_away(settings, f"late/{name}__")
        return
    for folder in Path(settings.checkpoints, "late").glob(f"{name}__*"):
        shutil.rmtree(folder, ignore_errors=True)


def folders_in(settings: Settings, folder: str) -> list[str]:
    """Return the names of the folders in a folder; none if it is not there."""
    if not settings.checkpoints.startswith("s3://"):
        return [path.name for path in Path(settings.checkpoints, folder).glob("*")]
    import boto3

    bucket = settings.checkpoints.removeprefix("s3://")
    found = boto3.client("s3").list_objects_v2(Bucket=bucket, Prefix=f"{folder}/", Delimiter="/")
    return [part["Prefix"].split("/")[-2] for part in found.get("CommonPrefixes", ())]


def remove_folder(settings: Settings, folder: str) -> None:
    """Remove one folder, and all that is in it."""
    if settings.checkpoints.startswith("s3://"):
        _remove_far_away(settings, f"{folder}/")
        return
    shutil.rmtree(Path(settings.checkpoints, folder), ignore_errors=True)


def _remove_far_away(settings: Settings, beginning: str) -> None:
    import boto3  # takes half a second: only who cleans up on AWS pays for it

    bucket = settings.checkpoints.removeprefix("s3://")
    boto3.resource("s3").Bucket(bucket).objects.filter(Prefix=beginning).delete()
