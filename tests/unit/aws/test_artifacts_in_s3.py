"""Artifacts in S3, as moto plays it: the code and its entry point, packed once."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from headwater import artifacts

if TYPE_CHECKING:
    from headwater.settings import Settings


@pytest.fixture
def bucket() -> Any:
    made = boto3.resource("s3").Bucket("headwater-test-artifacts")
    made.create(CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    return made


def test_code_is_packed_once_with_the_entry_point_that_emr_runs(settings: Settings, bucket: Any) -> None:
    packed = artifacts.pack(settings)
    assert packed.path == f"s3://headwater-test-artifacts/{packed.hash}.zip"
    written = {item.key: item.last_modified for item in bucket.objects.all()}
    assert written.keys() == {f"{packed.hash}.py", f"{packed.hash}.zip"}
    entry_point = bucket.Object(f"{packed.hash}.py").get()["Body"].read().decode()
    assert "from spark_apps.__main__ import main" in entry_point
    content = bucket.Object(f"{packed.hash}.zip").get()["Body"].read()
    assert "spark_apps/stream.py" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert packed.manifest["page_views_per_minute"]["app"] == "traffic"
    bucket.Object(f"{packed.hash}.py").delete()
    artifacts.pack(settings)
    assert [item.key for item in bucket.objects.all()] == [f"{packed.hash}.zip"]  # nothing was written again
