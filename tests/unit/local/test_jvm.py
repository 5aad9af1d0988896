from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
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


def test_download_that_fails_at_first_is_asked_for_again(fake_tool: FakeTool, tmp_path: Path) -> None:
    fake_tool("java", f"[ -e {tmp_path}/asked ] || {{ touch {tmp_path}/asked; exit 1; }}")
    with pytest.raises(Refusal, match="not the pinned one"):
        jvm.resolve_jvm_parts()


def test_two_who_need_the_parts_at_once_do_not_download_at_once(fake_tool: FakeTool) -> None:
    """Ivy's cache is no place for two: each would miss what the other is writing."""
    meeting = 'mkdir "$HEADWATER_CACHE/busy" || echo >> "$HEADWATER_CACHE/met"'
    fake_tool("java", f'{meeting}; sleep 0.3; rmdir "$HEADWATER_CACHE/busy"')

    def complaint() -> str:
        with pytest.raises(Refusal) as refused:
            jvm.resolve_jvm_parts()
        return refused.value.primary

    with ThreadPoolExecutor(2) as threads:
        complaints = [each.result() for each in [threads.submit(complaint) for _ in range(2)]]
    assert complaints == ["a JVM part is not the pinned one"] * 2
    assert not (jvm.cache_folder() / "met").exists()


def test_every_jvm_part_has_a_pinned_checksum() -> None:
    lines = jvm.CHECKSUMS.read_text().splitlines()
    assert {line.split()[1].split("/")[0] for line in lines} == {"kafka", "spark", "debezium", "postgres"}
    assert all(len(line.split()[0]) == 64 for line in lines)
