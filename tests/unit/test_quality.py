from __future__ import annotations

from typing import Any

from headwater.quality import in_markdown


def result(check: str, **differs: Any) -> dict[str, Any]:
    plain = {"view": "orders", "version": "v1", "severity": "fail", "success": True}
    return {**plain, "check": check, "observed": None, "unexpected": None, **differs}


def test_results_are_told_by_view_with_those_that_do_not_hold() -> None:
    results = [
        result("unique"),
        result("present", success=False, unexpected=1200),
        result("fresh", view="carts", version="v2b2", success=False, severity="warn", observed="5 minutes"),
    ]
    assert in_markdown(results).splitlines() == [
        "**1 of 3 checks hold**",
        "",
        "carts v2b2: 0 of 1 hold",
        "- warns: `fresh`, seen: 5 minutes",
        "",
        "orders v1: 1 of 2 hold",
        "- **fails**: `present`, seen: 1,200 unexpected",
    ]


def test_no_results_are_told_as_none() -> None:
    assert in_markdown([]) == "**0 of 0 checks hold**"
