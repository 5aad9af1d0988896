"""Removing checkpoints: those of one version, and none beside."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import boto3
from moto import mock_aws

from headwater import checkpoints
from headwater.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BLANK = Settings(**{field.name: "" for field in fields(Settings)})  # type: ignore[arg-type]
MINE = ("views/orders/v1/commits/0", "late/orders__v1__page_views/offsets/0")
OTHERS = ("views/orders/v10/commits/0", "views/orders/v2/commits/0", "late/orders__v2__page_views/offsets/0")


def test_folders_of_one_version_are_removed(tmp_path: Path) -> None:
    for name in (*MINE, *OTHERS):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    checkpoints.remove(replace(BLANK, checkpoints=str(tmp_path)), "views/orders/v1", "versions.orders__v1")
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(OTHERS)
    assert set(checkpoints.folders_in(replace(BLANK, checkpoints=str(tmp_path)), "views/orders")) == {
        "v10",
        "v2",
    }
    assert checkpoints.folders_in(replace(BLANK, checkpoints=str(tmp_path)), "scratch") == []


def test_objects_of_one_version_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        bucket = boto3.resource("s3").create_bucket(Bucket="checkpoints")
        for name in (*MINE, *OTHERS):
            bucket.put_object(Key=name)
        checkpoints.remove(
            replace(BLANK, checkpoints="s3://checkpoints"), "views/orders/v1", "versions.orders__v1"
        )
        assert {item.key for item in bucket.objects.all()} == set(OTHERS)
        far_away = replace(BLANK, checkpoints="s3://checkpoints")
        assert set(checkpoints.folders_in(far_away, "views/orders")) == {"v10", "v2"}
        assert checkpoints.folders_in(far_away, "scratch") == []
