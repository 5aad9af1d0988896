"""A view that a running app keeps: verified and explained by the commands that people use."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from headwater import lake, scratch
from headwater.shop import Simulation, simulate
from tests.cluster.looking import has_read_everything
from tests.waiting import wait_for

if TYPE_CHECKING:
    from headwater.settings import Settings
    from tests.streams import Log

VIEW = "page_views_per_minute"


def headwater(*arguments: str) -> str:
    command = [sys.executable, "-m", "headwater.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_live_view_serves_what_the_log_gives_and_a_row_of_it_is_explained(
    instance: Settings, app: str, log: Log
) -> None:
    begun = datetime.now(UTC) - timedelta(minutes=1)
    visits = Simulation(streams=("page_views",), seed=321, rate=60, count=300, repeated=0.05)
    simulate(instance, visits, report=lambda _: None)
    wait_for("the app", lambda: has_read_everything(log))
    until = datetime.now(UTC) + timedelta(minutes=2)
    assert "serves what the log gives" in headwater(
        "verify", VIEW, "--slice", f"{begun.isoformat()}/{until.isoformat()}"
    )
    assert lake.tables_in(instance, scratch.NAMESPACE) == []
    row = lake.newest_rows(instance, VIEW, 1).to_pylist()[0]
    said = headwater(
        "why", VIEW, f"minute_at={row['minute_at'].isoformat()}", f"page={row['page']}", "--events"
    )
    assert f"views={row['views']}" in said
    assert "records alone give exactly this row" in said
    assert said.count('"event_id"') >= row["views"]
