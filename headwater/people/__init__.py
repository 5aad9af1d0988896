"""People: a key for each of them, with which what is personal is sealed before anybody stores it."""

from headwater.people.keyring import ERASED, Keyring, Seal, in_the_clear, keyring

__all__ = ["ERASED", "Keyring", "Seal", "in_the_clear", "keyring"]
