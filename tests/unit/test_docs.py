from __future__ import annotations

from spark_apps.docs import README, VIEWS, views_page, with_views_table


def test_readme_lists_the_views_as_they_are() -> None:
    readme = README.read_text()
    assert with_views_table(readme) == readme, "run `make docs`"


def test_every_view_has_its_page_with_a_picture() -> None:
    page = VIEWS.read_text()
    assert page == views_page(), "run `make docs`"
    for section in page.split("\n## ")[1:]:
        assert "```text" in section, f"{section.splitlines()[0]} shows no picture"
