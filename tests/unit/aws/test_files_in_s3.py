"""Files in S3: where they are is known, and not asked of an address outside of the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.fs

from headwater.files import files_of, properties
from tests.aws_environment import REGION

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_region_of_a_bucket_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(_bucket: str) -> str:
        raise AssertionError("asked where the bucket is")

    monkeypatch.setattr(pyarrow.fs, "resolve_s3_region", unreachable)
    file = files_of("s3://headwater-test-warehouse").new_input("s3://headwater-test-warehouse/views/orders")
    assert file._filesystem.region == REGION  # type: ignore[attr-defined]


def test_files_in_a_folder_have_no_region(tmp_path: Path) -> None:
    assert properties(str(tmp_path)) == {}
    with files_of(str(tmp_path)).new_output(f"{tmp_path}/file").create() as file:
        file.write(b"words")
    assert (tmp_path / "file").read_bytes() == b"words"
