"""People: a key for each of them, with which what is personal is sealed before anybody stores it."""

from headwater.people.keyring import Keyring, Seal, in_the_clear, keyring
from headwater.sealed import ERASED

__all__ = ["ERASED", "Keyring", "Seal", "in_the_clear", "keyring"]
