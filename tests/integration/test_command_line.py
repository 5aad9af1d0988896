"""The command line as a person meets it: what it shows, and how it says no."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql

from headwater.cli import main
from tests.hostile import ARGUMENTS, COMMAND, FREE_TEXT

if TYPE_CHECKING:
    from headwater.settings import Settings

TABLES = (
    "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
)
PROBES = ["'; DROP TABLE versions; --", "$(id)", "../../../etc/passwd", "{{ 7 * 7 }}", "ünïcödé ﷽ 🙈"]


def headwater(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headwater.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_status_shows_every_part(instance: Settings) -> None:
    shown = headwater("status")
    assert shown.returncode == 0, shown.stderr
    for part in ("postgres", "kafka-1", "spark-master", "spark-worker-1", "connect", "airflow-scheduler"):
        assert part in shown.stdout


def test_topics_are_in_step_after_make_up(instance: Settings) -> None:
    assert "topics are in step" in headwater("topics", "plan").stdout


@pytest.mark.parametrize(
    ("arguments", "primary"),
    [
        (("views", "show", "nonsense"), 'there is no view "nonsense" to read'),
        (("views", "show", "x'; DROP TABLE versions; --"), "there is no view"),
        (("replay", "plan", "nonsense"), "\"view\": 'nonsense' is not a view"),
        (("replay", "plan", "page_views_per_minute", "--start", "$(id)"), "is neither earliest"),
        (("replay", "promote", "page_views_per_minute"), "no replay of view"),
        (("rollback", "x'; DROP TABLE versions; --"), "is not a view"),
        (("apps", "restart", "nonsense"), 'app "nonsense" was never deployed'),
        (("apps", "deploy", "../../etc"), "'../../etc' is not an app"),
        (("cold", "check", "nonsense"), "'nonsense' is not a topic"),
        (("apps", "stop", "nonsense"), 'app "nonsense" was never deployed'),
        (("carts", "why", "nobody's"), "nothing was decided about a cart"),
        (("logs", "nonsense"), 'there is no part "nonsense"'),
        (("simulate", "--late", "0.7", "--repeated", "0.7"), "the shares add up to"),
        (("simulate", "--streams", "page_views,logouts"), 'stream "logouts" does not exist'),
        (("simulate", "--rate", "0"), "a rate of 0 events a second cannot be simulated"),
    ],
)
def test_nonsense_is_refused_in_words(instance: Settings, arguments: tuple[str, ...], primary: str) -> None:
    refused = headwater(*arguments)
    assert refused.returncode == 1
    assert primary in refused.stderr
    assert "Traceback" not in refused.stderr


def test_hostile_words_change_nothing_of_a_running_instance(
    instance: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("headwater.cli.cli", COMMAND)
    before = rows(instance)
    for argument in ARGUMENTS:
        # With any text the person would be erased, as asked.
        if argument.command == ("erase",) and argument.name in FREE_TEXT:
            continue
        for probe in PROBES:
            monkeypatch.setattr(sys, "argv", ["headwater", *argument.filled_in(probe)])
            with pytest.raises(SystemExit) as ended:
                main()
            assert ended.value.code in (1, 2), argument
            assert capsys.readouterr().err, argument
    assert rows(instance) == before


def rows(instance: Settings) -> dict[str, int]:
    """Return how many rows each table of both databases has, by its whole name."""
    found: dict[str, int] = {}
    for database in ("headwater", "shop"):
        with psycopg.connect(instance.postgres_dsn(database, database)) as connection:
            for schema, name in connection.execute(TABLES).fetchall():
                counted = connection.execute(
                    sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))
                ).fetchone()
                found[f"{database}.{schema}.{name}"] = counted[0] if counted else -1
    return found


def test_instance_that_does_not_exist_is_refused_with_what_to_do() -> None:
    command = [sys.executable, "-m", "headwater.cli", "topics", "plan"]
    environment = {"HEADWATER_INSTANCE": "nowhere", "PATH": "/usr/bin"}
    refused = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert refused.returncode == 1
    assert "Run `make up` first" in refused.stderr
