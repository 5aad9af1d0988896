"""What `make up` does once all parts run, in order.

Each step may be repeated, and says whether it changed anything. A step is a label and a function of the
settings; add yours to STEPS, and import what it needs inside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a step ended: whether it changed anything, and a few words for the progress line."""

    changed: bool
    note: str = ""


Step = tuple[str, Callable[[Settings], Done]]


def bring_topics_in_step(settings: Settings) -> Done:
    """Make the topics and access that the files declare."""
    from headwater.topics import load_topics
    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    planned = plan(settings, load_topics())
    apply(settings, planned)
    drift = f"{len(planned.drift)} differ from their files: `headwater topics plan`" if planned.drift else ""
    return Done(changed=bool(planned.changes), note=drift)


def bring_registry_up_to_date(settings: Settings) -> Done:
    """Make the registry's tables."""
    from headwater.registry import migrate

    return Done(changed=bool(migrate(settings)))


def start_apps(settings: Settings) -> Done:
    """Deploy every app, and wait until each of its queries has given a sign of life."""
    from headwater import apps

    said: list[str] = []
    started = apps.deploy(settings, report=said.append)
    for app in started:
        apps.wait_until_alive(settings, app)
    return Done(changed=bool(started), note="; ".join(said))


def start_shop(settings: Settings) -> Done:
    """Let simulated customers visit the shop."""
    from headwater.local import shop

    return Done(changed=shop.start(settings))


STEPS: list[Step] = [
    ("topics", bring_topics_in_step),
    ("registry", bring_registry_up_to_date),
    ("apps", start_apps),
    ("shop", start_shop),
]
