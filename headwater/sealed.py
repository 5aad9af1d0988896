"""How a sealed text looks, for whoever has no key and must tell it from one in the clear.

The keyring (`headwater/people/keyring.py`) writes `sealed:1:` and URL-safe base64, and for somebody who was
erased it gives `erased`. Both may be stored, and so may no text at all, in which there is nothing to hide.
"""

from __future__ import annotations

import re

SEALED = "sealed:1:"
ERASED = "erased"
# A regular expression, of Java as well as of Python. AES-SIV puts 16 bytes before each text, which are 22
# letters: whatever is shorter, or has a blank in it, was never sealed.
PATTERN = f"^({SEALED}[A-Za-z0-9_-]{{22,}}={{0,2}}|{ERASED})?$"


def is_sealed(text: str) -> bool:
    """Say whether a text is one that only its person's key could open."""
    return text.startswith(SEALED) and re.search(PATTERN, text) is not None
