"""Who an app is to Kafka: the app of a group writes topics, one that keeps a single version does not."""

from __future__ import annotations

import pytest

from headwater.settings import TOLD
from spark_apps import catalog, stream
from tests.aws_environment import settings_of


@pytest.fixture(autouse=True)
def _told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOLD, settings_of("none").encoded())


@pytest.mark.parametrize("app", sorted({view.app for view in catalog.views().values()}))
def test_app_of_a_group_reads_and_writes_as_apps(app: str) -> None:
    assert stream.settings_of(app).reader == "apps"


@pytest.mark.parametrize("app", ["page_views_per_minute.v2", "carts.v1b2"])
def test_app_of_a_single_version_reads_as_replay(app: str) -> None:
    found = stream.settings_of(app)
    assert found.reader == "replay"
    assert found.encoded() == settings_of("none").encoded()
