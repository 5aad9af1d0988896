"""What commands that run a service have in common: a name to come back under, a log, and how they end."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.forms import Id, checked

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

ServiceName = Annotated[
    str | None,
    typer.Option(
        parser=checked("name", Id), help="Started again under the same name, it takes its place back at once."
    ),
]


@contextmanager
def serving() -> Iterator[threading.Event]:
    """Write what a service does into its log, and tell it when to stop."""
    from headwater.stopping import stop_on_signal

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("kafka").setLevel(logging.ERROR)
    with stop_on_signal() as stop:
        yield stop
