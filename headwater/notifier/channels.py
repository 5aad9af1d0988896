"""Channels: how a notification reaches people. Each may tell it twice, and gives a key to know it by.

What leaves Kafka cannot be taken back, so a channel delivers first and notes afterwards that it did; whoever
is told twice knows by the key: `Message-ID` in an e-mail, `Idempotency-Key` with a webhook, `event_id` in the
log. A channel is settings that deliver; which of them there are is chosen by the environment. An address that
is itself a secret, as that of many webhooks, is named by the environment and read where secrets are.
"""

from __future__ import annotations

import logging
import re
import smtplib
import urllib.request
from abc import ABC, abstractmethod
from email.message import EmailMessage
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, ValidationError

from headwater.addresses import refuse_credentials
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from headwater.notifier.alert import Alert

SECONDS = 20  # after which a server that does not answer has failed
NAMED = re.compile(r"webhook\.[a-z0-9_]{1,40}")  # the secret that holds an address
PLAIN_KEY = re.compile(r"(?=.{1,200}$)[A-Za-z0-9_:-]+(\.[A-Za-z0-9_:-]+)*")


class Channel(BaseModel, ABC):
    """A way to tell people. `deliver` returns when they were told, and raises whatever kept it from that."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]

    @abstractmethod
    def deliver(self, told: Alert) -> None:
        """Tell one notification."""


class Log(Channel):
    """A line in the notifier's log."""

    name = "log"

    def deliver(self, told: Alert) -> None:
        """Write the line."""
        logging.getLogger("headwater.notification").info(
            "%s event_id=%s runbook=%s", headline(told), dedupe_key(told), one_line(told.runbook or "none")
        )


class Email(Channel):
    """An e-mail, through a server that takes it without a log-in, such as a relay on the same machine."""

    name = "email"
    host: str
    port: Annotated[int, Field(ge=1, le=65535)] = 25
    sender: str
    recipient: str

    def deliver(self, told: Alert) -> None:
        """Send the e-mail; the server has taken it when this returns."""
        with smtplib.SMTP(self.host, self.port, timeout=SECONDS) as server:
            server.send_message(self.message(told))

    def message(self, told: Alert) -> EmailMessage:
        """Return the e-mail: the subject tells it all, the body is for those who act."""
        message = EmailMessage()
        message["From"], message["To"] = self.sender, self.recipient
        message["Subject"] = headline(told)[:200]
        message["Message-ID"] = f"<{quote(dedupe_key(told), safe='')}@headwater>"  # no colon may stand there
        message.set_content(f"{told.message}\n\nRunbook: {told.runbook or 'none'}\nId: {told.event_id}\n")
        return message


class Webhook(Channel):
    """A POST of the notification as JSON; every answer but 2xx is a failure, a redirect too."""

    name = "webhook"
    url: HttpUrl = Field(repr=False)

    def deliver(self, told: Alert) -> None:
        """Post it."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": dedupe_key(told)}
        request = urllib.request.Request(str(self.url), data=told.encoded(), headers=headers, method="POST")
        urllib.request.build_opener(_NoRedirects).open(request, timeout=SECONDS).close()


CHANNELS: dict[str, type[Channel]] = {channel.name: channel for channel in (Log, Email, Webhook)}


def chosen_channels(chosen: Mapping[str, Mapping[str, str]], secret: Callable[[str], str]) -> list[Channel]:
    """Return the channels that the environment has chosen, or refuse what it says about them."""
    return [_channel(name, _with_address(dict(settings), secret)) for name, settings in chosen.items()]


def dedupe_key(told: Alert) -> str:
    """Return the alert's id; its digest instead, if it could not stand in a header."""
    plain = PLAIN_KEY.fullmatch(told.event_id)
    return told.event_id if plain else blake2b(told.event_id.encode(), digest_size=16).hexdigest()


def headline(told: Alert) -> str:
    """Return a notification in one line."""
    return one_line(f"[{told.state}] {told.kind}: {told.subject}: {told.message}")


def one_line(text: str) -> str:
    """Return a text as one line of visible characters: it was written by whoever caused the alert."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _with_address(settings: dict[str, Any], secret: Callable[[str], str]) -> dict[str, Any]:
    if NAMED.fullmatch(str(settings.get("secret"))) and "url" not in settings:
        return {"url": secret(settings["secret"])}
    refuse_credentials(str(settings.get("url", "")))
    return settings


def _channel(name: str, settings: dict[str, Any]) -> Channel:
    if name not in CHANNELS:
        raise Refusal(
            f'there is no channel "{name}"',
            detail=f"There are: {', '.join(CHANNELS)}.",
            hint="Correct TF_VAR_notification_channels and run `make up`.",
        )
    try:
        return CHANNELS[name].model_validate(settings)
    except ValidationError as error:
        raise Refusal(
            f'the settings of channel "{name}" are not right',
            detail="; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()),
            hint="Correct TF_VAR_notification_channels (docs/notifications.md) and run `make up`.",
        ) from None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Python would follow with a GET that tells nobody anything."""

    def redirect_request(self, *_: object) -> None:
        return None
