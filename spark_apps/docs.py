"""What the views say of themselves, as pages: the table in the README and docs/views.md (`make docs`)."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

from spark_apps import catalog

if TYPE_CHECKING:
    from datetime import timedelta

    from spark_apps.view import View

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
VIEWS = ROOT / "docs" / "views.md"
BETWEEN_COLUMNS = re.compile(r",(?![^(]*\))")  # not inside DECIMAL(18, 2)
MARKED = re.compile(r"(<!-- views: .*? -->\n).*?(<!-- /views -->)", re.DOTALL)
HEADER = "| view | what | from | rows | late events | app |\n|---|---|---|---|---|---|\n"
TITLE = """# The views

Made from the views' own docstrings by `make docs`; edit those. Each view is one file in
[spark_apps/views](../spark_apps/views), and [add-a-view.md](add-a-view.md) tells how to write one.
"""


def views_table() -> str:
    """Return a row for each view."""
    return HEADER + "".join(_row(view) for view in catalog.views().values())


def with_views_table(readme: str) -> str:
    """Return the README with a table that is true."""
    return MARKED.sub(lambda found: found[1] + views_table() + found[2], readme)


def views_page() -> str:
    """Return the page that tells of every view."""
    return "\n".join([TITLE, *(_section(view) for view in catalog.views().values())])


def _row(view: View) -> str:
    page = f"[`{view.name}`](docs/views.md#{view.name})"
    inputs = ", ".join(view.reads)
    cells = (page, catalog.summary(view), inputs, view.mode, _late(view), view.app)
    return f"| {' | '.join(cells)} |\n"


def _section(view: View) -> str:
    told = inspect.getdoc(inspect.getmodule(view.transform)) or ""
    facts = {
        "reads": ", ".join(f"`{name}`" for name in view.inputs),
        ("made of" if view.of_tables else "with the history of"): ", ".join(f"`{t}`" for t in view.tables),
        "one row for each": ", ".join(f"`{name}`" for name in view.keys),
        "windows": _windows(view),
        "columns": ", ".join(f"`{column.strip()}`" for column in BETWEEN_COLUMNS.split(view.schema)),
        "rows are": "added once" if view.mode == "append" else "replaced when they change",
        "late events": _late(view),
        "told on": f"`{view.publishes.topic}`" if view.publishes else "",
        "looks for news every": _words(view.trigger),
        "is behind the log at most": _words(view.freshness),
        "kept by": f"app `{view.app}`, owned by {view.owner}",
    }
    table = "".join(f"| {name} | {value} |\n" for name, value in facts.items() if value)
    file = f"[{view.name}.py](../spark_apps/views/{view.name}.py)"
    return f"## {view.name}\n\n{_with_pictures(told)}\n\n| {file} | |\n|---|---|\n{table}"


def _with_pictures(told: str) -> str:
    """Fence what is indented, so that its lines stay where they are."""
    return re.sub(r"(?m)(^    .*\n?(?:\n(?=    )|    .*\n?)*)", r"```text\n\1```\n", told)


def _windows(view: View) -> str:
    if view.grain != "window" or not view.window:
        return ""
    return f"{_words(view.window)}, " + (
        f"one every {_words(view.hop)}" if view.hop else "one after the other"
    )


def _late(view: View) -> str:
    if view.of_tables or view.clock == "received_at":
        return "cannot be"
    return f"{view.late}, after {_words(view.lateness)}"


def _words(duration: timedelta) -> str:
    seconds = round(duration.total_seconds())
    return f"{seconds // 60} min" if seconds and seconds % 60 == 0 else f"{seconds} s"


if __name__ == "__main__":
    README.write_text(with_views_table(README.read_text()))
    VIEWS.write_text(views_page())
