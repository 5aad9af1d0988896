"""Reports: pages of Data Docs and proofs of replays show samples of rows, and may show a person's words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.erasure.scanning import file_holds
from headwater.people import ERASED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headwater.registry import Connection
    from headwater.settings import Settings

FOLDER = "data_docs"


def remove_pages(settings: Settings, needles: Sequence[bytes]) -> int:
    """Remove pages and results that hold a needle; return how many. The next check writes new ones."""
    pages = [path for path in Path(settings.home, FOLDER).rglob("*") if path.is_file()]
    found = [page for page in pages if file_holds(page, needles)]
    for page in found:
        page.unlink()
    return len(found)


def redact_proofs(registry: Connection, texts: Sequence[str]) -> int:
    """Replace texts in the samples of stored proofs; return how many proofs held one."""
    redacted = 0
    for text in texts:
        written = json.dumps(text, ensure_ascii=False)[1:-1]
        redacted += registry.execute(
            "UPDATE versions SET proof = replace(proof::text, %(text)s, %(erased)s)::jsonb "
            "WHERE position(%(text)s IN proof::text) > 0",
            {"text": written, "erased": ERASED},
        ).rowcount
    return redacted
