"""Wrapping: a person's key is stored only encrypted, with a key that is stored elsewhere.

Whoever has the database alone, or a copy of it, has nothing. Locally the wrapping key is a secret of the
instance; where there is a key management service, another `Wrapping` asks it, and nothing else changes.
"""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Protocol

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from headwater.settings import SECRETS_MANAGER

if TYPE_CHECKING:
    from headwater.settings import Settings

SECRET = "people.wrapping"
NONCE_BYTES = 12


class Wrapping(Protocol):
    """Encrypts what is little and secret. What was wrapped for one purpose is not unwrapped for another."""

    def wrap(self, purpose: str, secret: bytes) -> bytes:
        """Return it encrypted."""

    def unwrap(self, purpose: str, wrapped: bytes) -> bytes:
        """Return what was wrapped for this purpose."""


def wrapping_of(settings: Settings) -> Wrapping:
    """Return how an environment wraps: with AWS's key management where it keeps its secrets with AWS."""
    if settings.secrets_file.startswith(SECRETS_MANAGER):
        from headwater.people.kms_wrapping import KmsWrapping  # takes AWS's library along

        return KmsWrapping(settings)
    return LocalWrapping(settings)


class LocalWrapping:
    """With the instance's own key: AES-GCM, a random nonce each time."""

    def __init__(self, settings: Settings) -> None:
        self._key = AESGCM(base64.urlsafe_b64decode(settings.secret(SECRET)))

    def wrap(self, purpose: str, secret: bytes) -> bytes:
        """Return it encrypted, behind its nonce."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._key.encrypt(nonce, secret, purpose.encode())

    def unwrap(self, purpose: str, wrapped: bytes) -> bytes:
        """Return what was wrapped for this purpose; anything else raises InvalidTag."""
        return self._key.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], purpose.encode())
