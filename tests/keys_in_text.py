"""What looks like a password or a key in a text, whoever made it: by its form, not by its value."""

from __future__ import annotations

import math
import re
from collections import Counter

# Forms that their makers have given them, so that they are found.
KNOWN = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{16}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "a token of GitHub": r"\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}",
    "a token of Slack": r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}|hooks\.slack\.com/services/T\w+/B\w+/\w{16,}",
    "a signed token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "a scrambled password": r"SCRAM-SHA-(?:256|512)\$\d+:",
    "an address with a password": r"\b[a-z][a-z0-9+]*://[^\s/:@'\"{}$<]+:[^\s/:@'\"{}$<]{8,}@",
}
# As random as what is generated here: letters of both kinds and digits, and hardly one of them twice. What is
# sealed with a person's key looks like that, too, and may be read by everybody.
RANDOM = re.compile(r"(?<![A-Za-z0-9_+/=-])(?<!sealed:1:)[A-Za-z0-9_-]{28,}={0,2}(?![A-Za-z0-9_+/=-])")
LEAST_BITS = 4.0  # for each letter; of hexadecimal digits, as in checksums, there are at most so many
WORDS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{5,}")
MOST_OF_WORDS = 0.7  # letters of a name that are in words


def keys_in(text: str) -> list[str]:
    """Return what looks like a key, and why."""
    found = [f"{what}: {match[0][:12]}…" for what, form in KNOWN.items() for match in re.finditer(form, text)]
    return found + [f"random: {match[0][:12]}…" for match in RANDOM.finditer(text) if _is_random(match[0])]


def _is_random(word: str) -> bool:
    mixed = all(re.search(kind, word) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    in_words = sum(map(len, WORDS.findall(word))) / len(word)
    return mixed and _bits(word) > LEAST_BITS and in_words < MOST_OF_WORDS


def _bits(word: str) -> float:
    shares = [count / len(word) for count in Counter(word).values()]
    return -sum(share * math.log2(share) for share in shares)
