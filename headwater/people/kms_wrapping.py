"""Wrapping with AWS's key management: the key that wraps never leaves it.

What is wrapped may be longer than KMS takes. So it is encrypted here, with a key that KMS makes for it and
gives out again to whoever names the same purpose.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import boto3
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

if TYPE_CHECKING:
    from headwater.settings import Settings

NONCE_BYTES = 12
LENGTH = struct.Struct(">H")


class KmsWrapping:
    """With the environment's key `erasure`: one of KMS's data keys for each secret."""

    def __init__(self, settings: Settings) -> None:
        self._key = f"alias/headwater-{settings.instance}-erasure"
        self._kms: Any = boto3.client("kms")

    def wrap(self, purpose: str, secret: bytes) -> bytes:
        """Return it encrypted, behind its own key, which only KMS can read."""
        made = self._kms.generate_data_key(
            KeyId=self._key, KeySpec="AES_256", EncryptionContext={"purpose": purpose}
        )
        nonce = os.urandom(NONCE_BYTES)
        encrypted = AESGCM(made["Plaintext"]).encrypt(nonce, secret, purpose.encode())
        blob: bytes = made["CiphertextBlob"]
        return LENGTH.pack(len(blob)) + blob + nonce + encrypted

    def unwrap(self, purpose: str, wrapped: bytes) -> bytes:
        """Return what was wrapped for this purpose; for another KMS refuses."""
        (length,) = LENGTH.unpack_from(wrapped)
        blob, rest = wrapped[LENGTH.size : LENGTH.size + length], wrapped[LENGTH.size + length :]
        key = self._kms.decrypt(CiphertextBlob=blob, EncryptionContext={"purpose": purpose})["Plaintext"]
        return AESGCM(key).decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], purpose.encode())
