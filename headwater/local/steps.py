"""What `make up` does once all parts run, in order.

Each step may be repeated, and says whether it changed anything. A step is a label and a function of the
settings; add yours to STEPS, and import what it needs inside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import Refusal
from headwater.settings import Settings
from headwater.waiting import wait_until_nothing_is_missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a step ended: whether it changed anything, and a few words for the progress line."""

    changed: bool
    note: str = ""


Step = tuple[str, Callable[[Settings], Done]]
SCHEDULED = ("supervise", "data_quality", "maintenance", "batch_layer")
READ_SECONDS = 120


def bring_topics_in_step(settings: Settings) -> Done:
    """Make the topics and access that the files declare, and the users of roles that came later."""
    from headwater.brokers import admin_client
    from headwater.local.kinds.kafka import add_missing_users
    from headwater.local.secret_store import load_secrets
    from headwater.topics import load_topics
    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    with admin_client(settings, "admin") as admin:
        added = add_missing_users(admin, load_secrets(Path(settings.home)))
    planned = plan(settings, load_topics())
    apply(settings, planned)
    drift = f"{len(planned.drift)} differ from their files: `headwater topics plan`" if planned.drift else ""
    return Done(changed=bool(added or planned.changes), note=drift)


def bring_registry_up_to_date(settings: Settings) -> Done:
    """Make the registry's tables."""
    from headwater.registry import migrate

    return Done(changed=bool(migrate(settings)))


def follow_the_shops_database(settings: Settings) -> Done:
    """Make the tables of the shop's database, and let their changes come into the log."""
    from headwater import capture
    from headwater.shop import database

    migrated = database.migrate(settings)
    return Done(changed=capture.follow(settings) or bool(migrated))


def start_apps(settings: Settings) -> Done:
    """Deploy every app, and wait until each of its queries has given a sign of life."""
    from headwater import apps

    said: list[str] = []
    started = apps.deploy(settings, report=said.append)
    for app in started:
        apps.wait_until_alive(settings, app)
    return Done(changed=bool(started), note="; ".join(said))


def start_notifier(settings: Settings) -> Done:
    """Let alerts become notifications."""
    from headwater.local import notifier

    return Done(changed=notifier.start(settings))


def start_carts(settings: Settings) -> Done:
    """Let commands to carts be decided."""
    from headwater.local import carts

    return Done(changed=carts.start(settings))


def start_shop(settings: Settings) -> Done:
    """Let simulated customers visit the shop."""
    from headwater.local import shop

    return Done(changed=shop.start(settings))


def let_airflow_look_after_it(settings: Settings) -> Done:
    """Let the DAGs that have a schedule run: until here, there was nothing to look after."""
    from headwater.airflow_api import Airflow

    airflow = Airflow(settings)
    if missing := wait_until_nothing_is_missing(
        lambda: ", ".join(sorted(set(SCHEDULED) - airflow.paused().keys())), READ_SECONDS
    ):
        raise Refusal(
            f"Airflow has not read the DAGs {missing}", hint="See `make logs PART=airflow-dag-processor`."
        )
    paused = [dag for dag in SCHEDULED if airflow.paused()[dag]]
    for dag in paused:
        airflow.resume(dag)
    return Done(changed=bool(paused))


STEPS: list[Step] = [
    ("topics", bring_topics_in_step),
    ("registry", bring_registry_up_to_date),
    ("capture", follow_the_shops_database),
    ("apps", start_apps),
    ("notifier", start_notifier),
    ("carts", start_carts),
    ("shop", start_shop),
    ("schedules", let_airflow_look_after_it),
]
