"""How Headwater says no: what happened, the detail, and what to do next."""

from __future__ import annotations


class Refusal(Exception):
    """A request that cannot be met, told in three parts so that a person can act on it.

    The primary part is short, in lower case and without a full stop; detail and hint are sentences.
    """

    def __init__(self, primary: str, *, detail: str = "", hint: str = "") -> None:
        super().__init__(primary)
        self.primary = primary
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(part for part in (self.primary, self.detail, self.hint) if part)
