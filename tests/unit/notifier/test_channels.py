from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from headwater.errors import Refusal
from headwater.notifier.alert import Alert
from headwater.notifier.channels import Email, Log, Webhook, chosen_channels, dedupe_key

if TYPE_CHECKING:
    from collections.abc import Callable

EMAIL = {
    "host": "127.0.0.1",
    "port": "2525",
    "sender": "headwater@localhost",
    "recipient": "people@localhost",
}

NO_SECRETS: Callable[[str], str] = {}.__getitem__


def told(**changes: Any) -> Alert:
    fields = {
        "event_id": "a:1",
        "subject": "app traffic",
        "kind": "lag",
        "state": "raised",
        "message": "Slow.",
    }
    return Alert.model_validate(fields | {"occurred_at": 1, "sent_at": 2} | changes)


def test_channels_are_made_from_the_settings_of_the_environment() -> None:
    chosen = chosen_channels(
        {"log": {}, "email": EMAIL, "webhook": {"url": "http://127.0.0.1:80/hook"}}, NO_SECRETS
    )
    assert [type(channel) for channel in chosen] == [Log, Email, Webhook]
    assert [channel.port for channel in chosen if isinstance(channel, Email)] == [2525]


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"pigeon": {}}, 'there is no channel "pigeon"'),
        ({"email": {"host": "x"}}, 'settings of channel "email" are not right\nsender: Field required'),
        ({"email": EMAIL | {"port": "many"}}, "port: Input should be a valid integer"),
        ({"webhook": {"url": "file:///etc/passwd"}}, "url: URL scheme should be 'http' or 'https'"),
        ({"webhook": {"secret": "kafka.admin"}}, "secret: Extra inputs are not permitted"),
        ({"webhook": {"url": "https://a/", "secret": "webhook.b"}}, "secret: Extra inputs are not permitted"),
        ({"log": {"level": "info"}}, "level: Extra inputs are not permitted"),
    ],
)
def test_setting_that_is_not_right_is_refused_by_name(chosen: dict[str, dict[str, str]], said: str) -> None:
    with pytest.raises(Refusal) as refused:
        chosen_channels(chosen, NO_SECRETS)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "address", ["https://me:s3cret@a/b", "https://a/b?token=s3cret", "https://a/b#s3cret"]
)
def test_address_that_may_hold_a_secret_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(Refusal, match="is not written down") as refused:
        chosen_channels({"webhook": {"url": address}}, NO_SECRETS)
    assert "s3cret" not in str(refused.value)


def test_address_that_is_a_secret_is_read_where_secrets_are_and_told_to_nobody() -> None:
    secrets = {"webhook.alerts": "https://hooks.example/services/T0/s3cret?thread=1"}
    (channel,) = chosen_channels({"webhook": {"secret": "webhook.alerts"}}, secrets.__getitem__)
    assert isinstance(channel, Webhook)
    assert str(channel.url) == secrets["webhook.alerts"]
    assert "s3cret" not in repr(channel)


def test_dedupe_key_is_the_id_of_the_alert() -> None:
    assert dedupe_key(told(event_id="fraud:7-2.1")) == "fraud:7-2.1"


@pytest.mark.parametrize(
    "event_id", ["two words", "a\r\nBcc: all@localhost", "ø", "x" * 201, "<x>", "a..b", "a\n"]
)
def test_id_that_could_not_stand_in_a_header_gives_a_digest_as_key(event_id: str) -> None:
    key = dedupe_key(told(event_id=event_id))
    assert len(key) == 32
    assert key == dedupe_key(told(event_id=event_id)) != dedupe_key(told(event_id=event_id + "!"))


def test_e_mail_carries_the_key_and_no_header_that_an_alert_made_up() -> None:
    (channel,) = chosen_channels({"email": EMAIL}, NO_SECRETS)
    assert isinstance(channel, Email)
    message = channel.message(told(message="Slow.\r\nBcc: all@localhost", kind="lag\n"))
    assert message["Message-ID"] == "<a%3A1@headwater>"
    assert message["Subject"] == "[raised] lag : app traffic: Slow. Bcc: all@localhost"
    assert message["Bcc"] is None
    assert b"Message-ID: <a%3A1@headwater>\n" in message.as_bytes()


def test_log_has_one_line_for_each_notification(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Log().deliver(told(message="Slow.\nERROR all is lost \x1b[31m", runbook="docs/runbooks/lag.md"))
    assert caplog.messages == [
        "[raised] lag: app traffic: Slow. ERROR all is lost [31m event_id=a:1 runbook=docs/runbooks/lag.md"
    ]
