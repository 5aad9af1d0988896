"""The secrets of an instance: generated once, kept in one file that only its owner can read.

Missing entries are added, existing ones are never changed. Rendered configuration names a secret as
`@{name}`; `fill` puts it in at the last moment, on the way to a file of mode 0600.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.local.files import one_at_a_time, write_private

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PLACEHOLDER = re.compile(r"@\{([a-z0-9_.]+)\}")


def _password() -> str:
    return secrets.token_urlsafe(24)


def _key(length: int) -> str:
    return base64.urlsafe_b64encode(os.urandom(length)).decode()


GENERATORS: dict[str, Callable[[], str]] = {
    "kafka.broker": _password,
    "kafka.admin": _password,
    "kafka.simulator": _password,
    "kafka.apps": _password,
    "kafka.replay": _password,
    "kafka.connect": _password,
    "kafka.control": _password,
    "kafka.notifier": _password,
    "kafka.carts": _password,
    "kafka.console": _password,
    "postgres.superuser": _password,
    "postgres.headwater": _password,
    "postgres.airflow": _password,
    "postgres.shop": _password,
    "postgres.capture": _password,
    "people.wrapping": lambda: _key(32),  # wraps the keys of people
    "spark.submission": lambda: _key(48),  # HS384 wants 384 bits
    "spark.rpc": _password,
    "airflow.admin": _password,
    "airflow.fernet": lambda: _key(32),
    "airflow.jwt": lambda: _key(64),
    "airflow.session": lambda: _key(32),
}


def secrets_file(home: Path) -> Path:
    """Return the file that holds the secrets of the instance at `home`."""
    return home / "secrets.json"


def load_secrets(home: Path) -> dict[str, str]:
    """Return all secrets of an instance; generate those that do not exist yet."""
    path = secrets_file(home)
    with one_at_a_time(home / "secrets.lock"):  # parts start at the same time
        known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        missing = {name: generate() for name, generate in GENERATORS.items() if name not in known}
        if missing:
            write_private(path, json.dumps(known | missing, indent=2))
        return known | missing


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace each `@{name}` by its value; a name that has none is refused, never left in a file."""

    def value(match: re.Match[str]) -> str:
        if (name := match[1]) not in values:
            raise Refusal(
                f'secret "{name}" does not exist',
                detail="A configuration template names it.",
                hint="Add it to GENERATORS in headwater/local/secrets.py, or correct the template.",
            )
        return values[name]

    return PLACEHOLDER.sub(value, text)
