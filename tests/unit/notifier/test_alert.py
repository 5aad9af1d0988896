from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.notifier.alert import Alert
from headwater.topics import load_topics
from headwater.transacting.reading import Malformed, read

LARGEST = 1000
ALERT = {
    "event_id": "fraud-1",
    "subject": "user 7",
    "kind": "fraud",
    "state": "raised",
    "message": "A purchase from NO, 3 minutes after a login from PT.",
    "occurred_at": 1_767_614_400_000,
    "sent_at": 1_767_614_401_000,
}


def encoded(**changes: Any) -> bytes:
    return json.dumps(ALERT | changes).encode()


@pytest.mark.parametrize("topic", ["alerts", "notifications"])
def test_fields_are_those_that_the_files_declare(topic: str) -> None:
    declared = {name: field.optional for name, field in load_topics()[topic].fields.items()}
    assert declared == {name: not field.is_required() for name, field in Alert.model_fields.items()}


def test_notification_is_the_alert_sent_anew() -> None:
    alert = read(Alert, encoded(runbook="docs/x.md", extra=1), LARGEST)
    told = json.loads(alert.notification(now=5).encoded())
    assert told == ALERT | {"runbook": "docs/x.md", "sent_at": 5}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no value"),
        (b"", "value: Invalid JSON"),
        (b"fire!", "value: Invalid JSON"),
        (b"\xff\xfe", "value: Invalid JSON"),
        (b"[]", "value: Input should be an object"),
        (b"{}", "event_id: Field required; subject: Field required"),
        (encoded(event_id=""), "event_id: String should have at least 1 character"),
        (encoded(event_id=7), "event_id: Input should be a valid string"),
        (encoded(occurred_at="today"), "occurred_at: Input should be a valid integer"),
        (encoded(occurred_at=True), "occurred_at: Input should be a valid integer"),
        (encoded(sent_at=2**70), "sent_at: Input should be less than"),
        (encoded() + b"{}", "value: Invalid JSON"),
        # Half of a pair of surrogates is no character, and could not be written again.
        (encoded(message="\ud800"), "value: Invalid JSON"),
        (encoded(message="x" * LARGEST), "too large: more than 1000 bytes"),
    ],
)
def test_what_is_no_alert_has_a_reason(value: bytes | None, reason: str) -> None:
    with pytest.raises(Malformed, match=f"^{reason}"):
        read(Alert, value, LARGEST)


def test_reason_does_not_quote_the_record() -> None:
    with pytest.raises(Malformed) as refused:
        read(Alert, encoded(occurred_at="secret"), LARGEST)
    assert "secret" not in str(refused.value)
