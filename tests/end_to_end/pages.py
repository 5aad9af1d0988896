"""Airflow's pages as a person uses them: what is clicked, what is read, and a picture where one is wanted."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from playwright.sync_api import TimeoutError as PlaywrightTimeout

from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, ViewportSize

    from headwater.settings import Settings

IMAGES = REPOSITORY / "docs/images"
WINDOW: ViewportSize = {"width": 1280, "height": 900}
PATIENCE_SECONDS = 180  # a busy machine is slow to draw
SWITCHES = ("dry_run", "approval")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A browser window in front of Airflow."""

    page: Page
    url: str

    @classmethod
    def log_in(cls, browser: Browser, settings: Settings) -> Pages:
        """Open a window and log in with the generated password."""
        page = browser.new_page(viewport=WINDOW)
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        page.goto(settings.airflow_url)
        page.locator("input[name=username]").fill("admin")
        page.locator("input[name=password]").fill(settings.secret("airflow.admin"))
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Dags").first.wait_for()
        return cls(page=page, url=settings.airflow_url)

    def open_form(self, dag: str) -> Locator:
        """Open the form with which a DAG is triggered."""
        self.page.goto(f"{self.url}/dags/{dag}")
        self.page.get_by_role("button", name="Trigger").first.click()
        form = self.page.get_by_role("dialog")
        form.get_by_test_id("trigger-dag-submit").wait_for()
        return form

    def choices(self, form: Locator) -> list[str]:
        """Open the list of views and return what it offers."""
        form.get_by_role("combobox").first.click()
        self.page.get_by_role("option").first.wait_for()
        return [option.inner_text() for option in self.page.get_by_role("option").all()]

    def trigger(self, dag: str, view: str, **fields: Any) -> str:
        """Fill in the form and submit it; return the name of the run, whose page is open then."""
        form = self.open_form(dag)
        self.choices(form)
        self.page.get_by_role("option", name=f"{view}:").or_(
            self.page.get_by_role("option", name=view, exact=True)
        ).click()
        for name, value in fields.items():
            self._fill(form, name, value)
        form.get_by_test_id("trigger-dag-submit").click()
        self.page.wait_for_url(f"{self.url}/dags/{dag}/runs/*")
        return unquote(self.page.url.rpartition("/")[2])

    def open_task(self, dag: str, run: str, task: str, tab: str = "") -> None:
        """Open the page of one task of a run."""
        self.page.goto(f"{self.url}/dags/{dag}/runs/{quote(run)}/tasks/{task}/{tab}")

    def reads(self, text: str) -> None:
        """Wait until the page shows a text; a run that has ended is no longer refreshed by itself."""
        shown = self.page.get_by_text(text).first
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return shown.wait_for(timeout=PATIENCE_SECONDS * 100)
            except PlaywrightTimeout:
                assert time.monotonic() < deadline, f'"{text}" is not on {self.page.url}'
                self.page.reload()

    def rest(self) -> None:
        """Leave the page: one that follows a run costs a third of a core, which the run could use."""
        self.page.goto("about:blank")

    def open_note(self) -> Locator:
        """Open the note of the run or task whose page is open; the page itself shows its first line."""
        self.page.get_by_role("button", name="Edit note").first.click()
        note = self.page.get_by_role("dialog")
        note.get_by_role("button", name="Close").wait_for()
        return note

    def picture(self, name: str) -> None:
        """Keep what is on the screen for the documentation, if asked to."""
        if os.environ.get("HEADWATER_SCREENSHOTS"):
            self.page.screenshot(path=IMAGES / f"{name}.png", animations="disabled")

    def _fill(self, form: Locator, name: str, value: Any) -> None:
        if name in SWITCHES:
            switch = form.locator(f"input[name=element_{name}]")
            if switch.is_checked() != value:
                form.locator(f"label:has(input[name=element_{name}])").click()
        else:
            form.locator(f"[name=element_{name}]").fill(value)
