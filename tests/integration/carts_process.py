"""The service of the carts as a process of its own, which a test can kill at a moment that it names.

Arguments, as one JSON object: home of the instance, topics (the names of commands, events and rejections),
group, and the moment, one of those of the notifier: both are the same transaction.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from headwater import carts
from headwater.settings import Settings
from headwater.stopping import stop_on_signal
from headwater.topics import load_topics
from tests.deciding import CARTS
from tests.integration.notifier_process import interrupt


def main(wish: dict[str, Any]) -> None:
    """Run until SIGTERM, or until the moment."""
    declared = load_topics()
    commands, events, rejections = (
        declared[topic].model_copy(update={"name": name})
        for topic, name in zip(CARTS, wish["topics"], strict=True)
    )
    route = carts.Route(commands=commands, events=events, rejections=rejections, group=wish["group"])
    interrupt(wish["moment"], "kill")
    with stop_on_signal() as stop:
        carts.run(Settings.load(Path(wish["home"])), route, stop, "one")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
