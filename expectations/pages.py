"""The pages of Data Docs as we show them: each is one file that needs nothing else, and tells nobody.

Great Expectations' own pages load styles and scripts from public servers; without a network their index is
empty, and with one each reader is counted. Ours have the same content in templates of our own
(`expectations/templates`), without any script. Values of events come as text, and never are markup: beside
that, a policy in each page forbids the browser to load or to run anything.
"""

from __future__ import annotations

import html
from typing import Any

from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, PackageLoader, pass_context

VIEW = {"module_name": __name__, "class_name": "SelfContainedPage"}
NEWEST = 1000  # runs that the index shows; the pages of earlier ones stay where they are


class SelfContainedPage(DefaultJinjaPageView):
    """A page of results, of a suite, or the index: the template looks which of them it is."""

    def __init__(
        self, custom_styles_directory: str | None = None, custom_views_directory: str | None = None
    ) -> None:
        super().__init__(custom_styles_directory, custom_views_directory)
        ours = PackageLoader("expectations", "templates")
        self.env.loader = ChoiceLoader([ours, *([self.env.loader] if self.env.loader else ())])
        self.env.filters["render_content_block"] = self.render_content_block
        self.env.globals["newest"] = NEWEST

    @pass_context
    def render_content_block(self, context: Any, content_block: Any, *args: Any, **named: Any) -> Any:
        """Render a part of a page. A text is a value that somebody has sent, or may hold one."""
        if isinstance(content_block, str):
            return html.escape(content_block)
        if isinstance(content_block, list):
            content_block = [html.escape(one) if isinstance(one, str) else one for one in content_block]
        return super().render_content_block(context, content_block, *args, **named)


def site(base_directory: str) -> dict[str, Any]:
    """Return the configuration of a site of such pages."""
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder", "view": VIEW},
        "site_section_builders": {"expectations": {"view": VIEW}, "validations": {"view": VIEW}},
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": base_directory},
    }
