from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest

from headwater.local.files import unpack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["as it is", "before 3.11.4"])
def python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let Python be as it is, or as Debian 12 has it: without filters for what is unpacked."""
    if request.param == "before 3.11.4":
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    return str(request.param)


def test_what_is_unpacked_is_ours_and_only_we_may_write_it(python: str, tmp_path: Path) -> None:
    member = tarfile.TarInfo("bin/server")
    member.size, member.mode, member.uid, member.gid = 2, 0o777, 4321, 4321
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(member, io.BytesIO(b"hi"))
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        unpack(archive, tmp_path)
    found = tmp_path / "bin/server"
    assert found.read_bytes() == b"hi"
    assert (found.stat().st_mode & 0o777, found.stat().st_uid) == (0o755, os.getuid())
