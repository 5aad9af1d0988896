"""Addresses that may be written down: they hold nothing that lets whoever reads them in.

The environment's settings lie in Terraform's state, in its plan and in files that others may read. An address
with a password or a token in it belongs to the secrets, and is named there.
Standard library only: the checks before the set-up use it.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from headwater.errors import Refusal


def refuse_credentials(address: str) -> None:
    """Refuse an address with a user, a password, a query or a fragment; say so without repeating it."""
    parts = urlsplit(address)
    if "@" in parts.netloc or "?" in address or "#" in address:
        raise Refusal(
            "an address that may hold a secret is not written down",
            detail=f"That of {parts.hostname} has a user, a query or a fragment; settings are in files and "
            "in Terraform's state.",
            hint='Put it into the secrets as webhook.<name>, and choose {"secret": "webhook.<name>"}.',
        )
