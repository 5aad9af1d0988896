"""How Terraform's events become progress and refusals, with a Terraform that says what the test wants."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local import terraform

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.local.conftest import FakeTool

KAFKA = {"resource": {"addr": "module.kafka.module.process.terraform_data.this"}}


def script(*events: dict[str, object], status: int = 0) -> str:
    lines = "\n".join(json.dumps(event) for event in events)
    return f"cat <<'END'\n{lines}\nEND\nexit {status}"


def test_parts_are_reported_as_they_start_and_finish(fake_tool: FakeTool, tmp_path: Path) -> None:
    summary = {"operation": "apply", "add": 1, "change": 0, "remove": 0}
    fake_tool(
        "terraform",
        script(
            {"type": "apply_start", "hook": KAFKA},
            {"type": "apply_complete", "hook": KAFKA},
            {"type": "change_summary", "changes": summary},
        ),
    )
    seen: list[tuple[str, str]] = []
    assert terraform.apply(tmp_path, lambda part, state: seen.append((part, state))) == 1
    assert seen == [("kafka", "working"), ("kafka", "done")]


def test_plan_without_changes_is_no_change(fake_tool: FakeTool, tmp_path: Path) -> None:
    planned = {"operation": "plan", "add": 3, "change": 0, "remove": 0}
    applied = {"operation": "apply", "add": 0, "change": 0, "remove": 0}
    summaries = [{"type": "change_summary", "changes": changes} for changes in (planned, applied)]
    fake_tool("terraform", script(*summaries))
    assert terraform.apply(tmp_path, lambda part, state: None) == 0


def test_failed_part_is_refused_in_its_own_words(fake_tool: FakeTool, tmp_path: Path) -> None:
    said = [
        KAFKA | {"output": line} for line in ("Executing: …", "part kafka keeps failing", "Disk is full.")
    ]
    fake_tool(
        "terraform",
        script(
            *({"type": "provision_progress", "hook": hook} for hook in said),
            {"type": "apply_errored", "hook": KAFKA},
            {"type": "diagnostic", "@level": "error", "diagnostic": {"summary": "local-exec", "detail": "x"}},
            status=1,
        ),
    )
    with pytest.raises(Refusal, match="part kafka keeps failing") as refused:
        terraform.apply(tmp_path, lambda part, state: None)
    assert refused.value.detail == "Disk is full."


def test_failure_without_words_is_refused_in_those_of_terraform(fake_tool: FakeTool, tmp_path: Path) -> None:
    fake_tool("terraform", script({"type": "version"}, status=1))
    with pytest.raises(Refusal, match="`terraform apply` failed") as refused:
        terraform.apply(tmp_path, lambda part, state: None)
    assert "status 1" in refused.value.detail
