"""Who an app is to Kafka: one that may tell output topics writes them, any other only reads."""

from __future__ import annotations

import pytest

from headwater.settings import TOLD
from spark_apps import stream
from tests.aws_environment import settings_of


@pytest.fixture(autouse=True)
def _told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOLD, settings_of("none").encoded())


def test_app_that_speaks_reads_and_writes_as_apps() -> None:
    assert stream.settings_of(speaks=True).reader == "apps"


def test_app_that_is_silent_reads_as_replay() -> None:
    found = stream.settings_of(speaks=False)
    assert found.reader == "replay"
    assert found.encoded() == settings_of("none").encoded()
