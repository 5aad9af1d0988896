"""Running a service: what is aborted, fenced off or cut off begins anew, as after a crash."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kafka.errors import AuthorizationError, KafkaError

from headwater import offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.transacting.following import Follower
from headwater.transacting.pauses import Pauses

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from headwater.settings import Settings
    from headwater.transacting.route import Route
    from headwater.transacting.work import Work


def run(
    settings: Settings,
    route: Route,
    work: Callable[[], Work],
    stop: threading.Event,
    name: str | None = None,
) -> None:
    """Answer until `stop` is set; each partition gets work of its own.

    Several may run at once and share the partitions. One that has a name and is started again takes the place
    of its predecessor at once; without one it waits until Kafka has noticed that the other is dead.
    """
    refuse_other_partitions(settings, route)
    log, pauses = logging.getLogger(f"headwater.{route.role}"), Pauses()
    while not stop.is_set():
        try:
            Follower(settings, route, work, name).follow_until(stop, pauses)
        except AuthorizationError as error:
            raise Refusal(
                f"Kafka does not let {route.role} do its work",
                detail=f"{type(error).__name__}: {error}",
                hint="Run `headwater topics apply`: it grants what the topics' files say.",
            ) from error
        except KafkaError as error:
            pause = pauses.longer()
            told = f"{type(error).__name__}: {error}"
            log.warning("%s starts again error=%s in=%s s", route.role, told, pause)
            stop.wait(pause)


def refuse_other_partitions(settings: Settings, route: Route) -> None:
    """Refuse topics that do not have the same number of partitions."""
    names = [topic.name for topic in (route.source, *route.targets)]
    with admin_client(settings, route.role) as client:
        counts = [len(offsets.partitions(client, name)) for name in names]
    if len(set(counts)) > 1:
        told = ", ".join(f'"{name}" {count}' for name, count in zip(names, counts, strict=True))
        raise Refusal(
            f"the topics of {route.role} have different numbers of partitions",
            detail=f"{told}: a record is answered in the partition of the same number.",
            hint="Declare the same number in all files, then `headwater topics apply --grow`.",
        )
