"""The capture: what the connector is told, and what is made of what is seen of it."""

from __future__ import annotations

from dataclasses import fields

import pytest

from headwater.capture.connector import connector
from headwater.capture.slot import Slot
from headwater.capture.watching import MUCH, troubles
from headwater.capture.worker import State
from headwater.settings import Settings
from headwater.topics import load_topics

NAMED = {"postgres_port": 5432, "connect_capture_password": "${file:secrets.properties:postgres.capture}"}
SETTINGS = Settings.from_outputs({field.name: "" for field in fields(Settings)} | NAMED)
RUNNING = State(connector="RUNNING", tasks=("RUNNING",))
KEPT = Slot(active=True, status="reserved", kept=0)
BROKEN = "ConnectException: Task failed\n\tat x\nCaused by: java.io.IOException: pipe"
MADE_ANEW = "DebeziumException: reads from here, but this is no longer available on the server. Reconfigure"


def failed(trace: str) -> State:
    return State(connector="RUNNING", tasks=("FAILED",), trace=trace)


@pytest.mark.parametrize(
    ("state", "slot", "found"),
    [
        (RUNNING, KEPT, []),
        (None, KEPT, [("capture down", False)]),
        (State(connector="PAUSED", tasks=("PAUSED",)), KEPT, [("capture down", False)]),
        (failed(BROKEN), KEPT, [("capture failed", True)]),
        (failed(MADE_ANEW), KEPT, [("changes lost", False)]),
        (RUNNING, None, [("changes lost", False)]),
        (RUNNING, Slot(active=False, status="lost", kept=0), [("changes lost", False)]),
        (RUNNING, Slot(active=False, status="extended", kept=MUCH + 1), [("log kept", False)]),
    ],
)
def test_trouble_is_named_and_only_what_a_restart_may_mend_is_restarted(
    state: State | None, slot: Slot | None, found: list[tuple[str, bool]]
) -> None:
    assert [(trouble.kind, trouble.restart) for trouble in troubles(state, slot)] == found


def test_innermost_reason_is_told() -> None:
    (trouble,) = troubles(failed(BROKEN), KEPT)
    assert trouble.message == "java.io.IOException: pipe"


def test_every_captured_table_has_its_key_and_its_topic() -> None:
    config = connector(SETTINGS, load_topics().values(), "shop")
    assert "public.orders" in config["table.include.list"].split(",")
    assert config["transforms.key_of_orders.field"] == "order_id"
    assert config["transforms.topic_of_users.replacement"] == "user_changelog"
    steps = config["transforms"].split(",")
    assert steps.index("unwrap") < steps.index("key_of_users") < steps.index("topic_of_users")


def test_password_is_not_in_the_configuration() -> None:
    config = connector(SETTINGS, load_topics().values(), "shop")
    assert config["database.password"].startswith("${file:")
