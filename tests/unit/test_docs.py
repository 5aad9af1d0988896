from __future__ import annotations

from spark_apps.docs import README, with_views_table


def test_readme_lists_the_views_as_they_are() -> None:
    readme = README.read_text()
    assert with_views_table(readme) == readme, "run `make docs`"
