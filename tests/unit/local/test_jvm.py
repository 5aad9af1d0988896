from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local import jvm

if TYPE_CHECKING:
    from tests.unit.local.conftest import FakeTool


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", str(tmp_path / "cache"))


def test_cache_follows_the_users_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert jvm.cache_folder() == Path("/somewhere/headwater")


def test_part_with_another_checksum_is_refused_and_not_kept(fake_tool: FakeTool) -> None:
    fake_tool(
        "java",
        'for last; do :; done; mkdir -p "${last%%/\\[*}/kafka"; echo > "${last%%/\\[*}/kafka/evil.jar"',
    )
    with pytest.raises(Refusal, match="not the pinned one") as refused:
        jvm.resolve_jvm_parts()
    assert "kafka/evil.jar" in refused.value.detail
    assert not jvm.jvm_folder().exists()


def test_failed_download_is_refused_with_what_ivy_said(fake_tool: FakeTool) -> None:
    fake_tool("java", "echo 'UNRESOLVED DEPENDENCIES'; exit 1")
    with pytest.raises(Refusal, match="could not be downloaded") as refused:
        jvm.resolve_jvm_parts()
    assert "UNRESOLVED" in refused.value.detail


def test_every_jvm_part_has_a_pinned_checksum() -> None:
    lines = jvm.CHECKSUMS.read_text().splitlines()
    assert {line.split()[1].split("/")[0] for line in lines} == {"kafka", "spark", "debezium", "postgres"}
    assert all(len(line.split()[0]) == 64 for line in lines)
