"""Packed code in S3, as moto plays it: with its entry point beside it, and removed when nobody needs it."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from moto.s3.models import s3_backends

from headwater import artifacts
from headwater.packing import Packed
from headwater.shelves import shelf_of

if TYPE_CHECKING:
    from headwater.settings import Settings

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def keys(bucket: Any) -> set[str]:
    return {item.key for item in bucket.objects.all()}


def test_artifact_is_kept_with_the_entry_point_that_emr_runs(settings: Settings, shelf: Any) -> None:
    packed = artifacts.pack(settings)
    assert packed.path == f"s3://headwater-test-artifacts/packed/{packed.hash}.zip"
    assert keys(shelf) == {f"packed/{packed.hash}.py", f"packed/{packed.hash}.zip"}
    entry_point = shelf.Object(f"packed/{packed.hash}.py").get()["Body"].read().decode()
    assert "from spark_apps.__main__ import main" in entry_point
    content = shelf.Object(f"packed/{packed.hash}.zip").get()["Body"].read()
    assert "spark_apps/stream.py" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert packed.manifest["page_views_per_minute"]["app"] == "traffic"


def age(name: str) -> None:
    """Let an object be of long ago, as `touch` would a file."""
    bucket = s3_backends["123456789012"]["aws"].buckets["headwater-test-artifacts"]
    bucket.keys[name].last_modified = LONG_AGO.replace(tzinfo=None)


def test_old_code_is_found_and_removed_whole(settings: Settings, shelf: Any) -> None:
    shelf.put_object(Key="runtime/debezium.zip", Body=b"not ours to remove")
    here = shelf_of(settings)
    for name in ("old", "young"):
        here.put(Packed(hash=name, content=b"code", entry_point="begin"))
    for name in ("runtime/debezium.zip", "packed/old.zip", "packed/old.py"):
        age(name)
    (old,) = here.put_before(LONG_AGO + timedelta(days=1))
    assert (old.hash, old.name, old.size) == ("old", "old.zip", 4)
    here.remove(old)
    here.remove(old)  # it is gone already
    assert keys(shelf) == {"runtime/debezium.zip", "packed/young.py", "packed/young.zip"}


def test_code_that_is_packed_again_is_young_again(settings: Settings, shelf: Any) -> None:
    code, here = Packed(hash="0a", content=b"code", entry_point="begin"), shelf_of(settings)
    here.put(code)
    age("packed/0a.zip")
    here.put(code)
    assert here.put_before(LONG_AGO + timedelta(days=1)) == []
