"""The platform as people use it: an app that runs, customers in the shop, a browser in front of Airflow."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from headwater import apps, names
from headwater.airflow_api import Airflow
from headwater.local import shop
from headwater.registry import connect, releases
from tests.fixed_code import VIEW, copy_code, fix_view, pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from headwater.settings import Settings

INSTALL = ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]


@pytest.fixture(scope="session")
def airflow(instance: Settings) -> Airflow:
    return Airflow(instance)


@pytest.fixture(scope="session")
def busy_shop(instance: Settings, deployed: str) -> Iterator[Settings]:
    """Run the app, and let customers visit the shop all the while: views are alive when they are replayed."""
    apps.deploy(instance, [deployed])  # another test may have stopped it
    apps.wait_until_alive(instance, deployed)
    shop.start(instance)
    yield instance
    shop.stop(Path(instance.home))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Code in which the view was fixed, as its next version."""

    artifact: str
    label: str


@pytest.fixture(scope="session")
def fix(busy_shop: Settings, tmp_path_factory: pytest.TempPathFactory) -> Fix:
    """Pack code in which the view was fixed; the working tree stays as it is."""
    with connect(busy_shop) as registry:
        version = max(known["version"] for known in releases.versions(registry, VIEW)) + 1
    source = copy_code(tmp_path_factory.mktemp("fixed"))
    fix_view(source, version)
    return Fix(artifact=pack(busy_shop, source), label=names.label(version))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


def chromium() -> str:
    """Find the system's Chromium; install it where we may."""
    if not _found() and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update"], check=False)
        subprocess.run(INSTALL, check=False)
    found = _found()
    assert found, f"the browser test needs Chromium: install it with `sudo {' '.join(INSTALL)}`"
    return found


def _found() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)
