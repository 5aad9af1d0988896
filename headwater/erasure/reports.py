"""Reports: Data Docs, proofs and comparisons of layers show samples of rows, maybe with a person's words."""

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
REDACTIONS = [
    f"UPDATE {table} SET {column} = replace({column}::text, %(text)s, %(erased)s)::jsonb "
    f"WHERE position(%(text)s IN {column}::text) > 0"
    for table, column in (("versions", "proof"), ("batch_days", "difference"))
]


def remove_pages(settings: Settings, needles: Sequence[bytes]) -> int:
    """Remove pages and results that hold a needle; return how many. The next check writes new ones."""
    pages = [path for path in Path(settings.home, FOLDER).rglob("*") if path.is_file()]
    found = [page for page in pages if file_holds(page, needles)]
    for page in found:
        page.unlink()
    return len(found)


def redact_samples(registry: Connection, texts: Sequence[str]) -> int:
    """Replace texts in stored samples of rows; return how many proofs and comparisons held one."""
    return sum(_redact(registry, statement, text) for statement in REDACTIONS for text in texts)


def _redact(registry: Connection, statement: str, text: str) -> int:
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    return registry.execute(statement.encode(), {"text": written, "erased": ERASED}).rowcount
