"""The table of views in the README, made from the views themselves: `make docs`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from spark_apps import catalog

if TYPE_CHECKING:
    from spark_apps.view import View

README = Path(__file__).resolve().parent.parent / "README.md"
MARKED = re.compile(r"(<!-- views: .*? -->\n).*?(<!-- /views -->)", re.DOTALL)
HEADER = "| view | what | from | rows | late events | app |\n|---|---|---|---|---|---|\n"


def views_table() -> str:
    """Return a row for each view."""
    return HEADER + "".join(_row(view) for view in catalog.views().values())


def with_views_table(readme: str) -> str:
    """Return the README with a table that is true."""
    return MARKED.sub(lambda found: found[1] + views_table() + found[2], readme)


def _row(view: View) -> str:
    file = f"[`{view.name}`](spark_apps/views/{view.name}.py)"
    late = "cannot be" if view.clock == "received_at" else f"{view.late}, after {view.lateness}"
    cells = (file, catalog.summary(view), ", ".join(view.inputs), view.mode, late, view.app)
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    README.write_text(with_views_table(README.read_text()))
