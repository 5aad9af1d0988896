"""What the latest check of the views has found, in words; the history is a table of the lake."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from headwater import lake

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from headwater.settings import Settings

RESULTS = "quality.results"
RECENT = timedelta(days=1)  # older results say nothing about today, and need not be read


def latest_results(settings: Settings) -> list[dict[str, Any]]:
    """Return what the latest check has found, a row for each expectation."""
    since = datetime.now(UTC) - RECENT
    table = lake.catalog(settings).load_table(RESULTS)
    results = table.scan(row_filter=f"checked_at >= '{since.isoformat()}'").to_arrow().to_pylist()
    latest = max((result["checked_at"] for result in results), default=None)
    return [result for result in results if result["checked_at"] == latest]


def in_markdown(results: Iterable[Mapping[str, Any]]) -> str:
    """Tell results: how many hold, then each view with those that do not."""
    ordered = sorted(results, key=lambda result: (result["view"], result["success"], result["check"]))
    lines = [f"**{_count(ordered)} checks hold**"]
    for view, found in groupby(ordered, key=lambda result: f"{result['view']} {result['version']}"):
        of_view = list(found)
        wrong = [result for result in of_view if not result["success"]]
        lines += ["", f"{view}: {_count(of_view)} hold", *(_line(result) for result in wrong)]
    return "\n".join(lines)


def _count(results: list[Mapping[str, Any]]) -> str:
    return f"{sum(result['success'] for result in results)} of {len(results)}"


def _line(result: Mapping[str, Any]) -> str:
    word = "**fails**" if result["severity"] == "fail" else "warns"
    unexpected = f"{result['unexpected']:,} unexpected" if result["unexpected"] else None
    return f"- {word}: `{result['check']}`, seen: {unexpected or result['observed'] or 'nothing'}"
