"""The keyring: seals what is personal with its person's own key, and opens it for whoever may see it.

    with keyring(settings) as keys:
        keys.seal("user-0001", "name", "Amber Badger")     # sealed:1:5Xk…
        keys.open("user-0001", "name", "sealed:1:5Xk…")    # Amber Badger, or: erased

Applications seal before they write. So a table, its write-ahead log, the topics, the lake, checkpoints and
reports hold nothing that could be read without the key, and erasing a person is destroying one key.

The same text of the same person and field is always sealed to the same letters (AES-SIV, RFC 5297, which is
made for that): a name that has not changed does not look like a change, and a batch that runs again writes
the same. Two people of the same name have nothing in common.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from headwater.errors import Refusal
from headwater.people.wrapping import Wrapping, wrapping_of
from headwater.registry import connect
from headwater.sealed import ERASED, SEALED, is_sealed

if TYPE_CHECKING:
    from headwater.registry import Connection
    from headwater.settings import Settings

Seal = Callable[[str, str, str], str]  # person, field, text

KEY_BITS = 512  # two keys of 256, as SIV wants them


def in_the_clear(_person: str, _field: str, text: str) -> str:
    """Seal nothing: for what is never stored."""
    return text


@contextmanager
def keyring(settings: Settings) -> Iterator[Keyring]:
    """Open the keyring of an instance."""
    with connect(settings) as registry:
        yield Keyring(registry, wrapping_of(settings))


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of all people. Nothing is kept in memory: a key that was destroyed is gone at once."""

    registry: Connection
    wrapping: Wrapping

    def seal(self, person: str, field: str, text: str) -> str:
        """Seal a text; a person's first makes their key. Who was erased never gets another one."""
        if not self._knows(person):
            self._make_key(person)
        key = self._key(person)
        if key is None:
            return ERASED
        sealed = key.encrypt(text.encode(), [person.encode(), field.encode()])
        return SEALED + base64.urlsafe_b64encode(sealed).decode()

    def open(self, person: str, field: str, text: str) -> str:
        """Return a text as it was before it was sealed, or that it is erased; one in the clear as it is."""
        if not is_sealed(text):
            return text
        key = self._key(person)
        if key is None:
            return ERASED
        try:
            sealed = base64.urlsafe_b64decode(text.removeprefix(SEALED))
            return key.decrypt(sealed, [person.encode(), field.encode()]).decode()
        except (InvalidTag, ValueError) as error:
            raise Refusal(
                f'what is sealed in field "{field}" of person "{person}" could not be opened',
                detail="It was sealed for another person, another field or with another key, or was changed.",
            ) from error

    def wrapped_key(self, person: str) -> bytes | None:
        """Return a person's key as it is stored; None if there is none, or none any more."""
        row = self.registry.execute("SELECT wrapped_key FROM people WHERE person = %s", [person]).fetchone()
        return bytes(row["wrapped_key"]) if row and row["wrapped_key"] is not None else None

    def destroy(self, person: str) -> None:
        """Destroy a person's key, for good."""
        self.registry.execute(
            "INSERT INTO people (person) VALUES (%s) ON CONFLICT (person) DO UPDATE SET wrapped_key = NULL",
            [person],
        )

    def _knows(self, person: str) -> bool:
        return bool(self.registry.execute("SELECT FROM people WHERE person = %s", [person]).rowcount)

    def _make_key(self, person: str) -> None:
        """Make a person's key, unless another writer has just made it: then theirs is the key."""
        self.registry.execute(
            "INSERT INTO people (person, wrapped_key) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            [person, self.wrapping.wrap(person, AESSIV.generate_key(KEY_BITS))],
        )

    def _key(self, person: str) -> AESSIV | None:
        wrapped = self.wrapped_key(person)
        return AESSIV(self.wrapping.unwrap(person, wrapped)) if wrapped else None
