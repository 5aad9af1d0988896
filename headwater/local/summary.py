"""The last words of `make up`: what runs, where, and what to try next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.settings import Settings


NEXT = """
Next:
  make status                                            what runs, and how far behind the log it is
  .venv/bin/headwater views show page_views_per_minute   the newest rows of a view
  make logs PART=traffic                                 what the streaming app says
  make down                                              stop it all; data stays"""


def print_summary(settings: Settings, console: Console, *, changed: bool) -> None:
    """Print what runs and where; the password's place, never the password."""
    if not changed:
        console.print("\nnothing to change: everything runs as described", style="bold")
    else:
        console.print(f'\ninstance "{settings.instance}" is up', style="bold")
    for what, where in _places(settings):
        console.print(f"  {what:<15}{where}", soft_wrap=True, highlight=False)
    console.print(NEXT, soft_wrap=True, highlight=False)


def _places(settings: Settings) -> list[tuple[str, str]]:
    return [
        ("Airflow", f"{settings.airflow_url}  (user admin)"),
        ("its password", f'"airflow.admin" in {settings.secrets_file}'),
        ("Spark", settings.spark_ui_url),
        ("Kafka", settings.kafka_bootstrap_servers),
        ("Connect", settings.connect_url),
        ("PostgreSQL", f"{settings.postgres_host}:{settings.postgres_port}, database headwater"),
        ("data and logs", settings.home),
    ]
