"""Files of the lake and of checkpoints, as PyIceberg reads and writes them, wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyiceberg.io import FileIO


def files_of(place: str) -> FileIO:
    """Return what reads and writes files at an address, or in a folder."""
    from pyiceberg.io import load_file_io  # takes a second: only who needs it pays for it

    return load_file_io(properties(place), place)


def properties(place: str) -> dict[str, str]:
    """Return what PyIceberg must be told about a place.

    In S3 the region: otherwise it asks AWS where the bucket is, at an address that a network without a way to
    the internet cannot reach.
    """
    if not place.startswith("s3://"):
        return {}
    import boto3  # takes half a second: only who has files on AWS pays for it

    region = boto3.Session().region_name
    return {"s3.region": region} if region else {}
