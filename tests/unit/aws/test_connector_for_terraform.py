"""The connector that Terraform makes is the one that the platform makes itself elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from headwater.cli import cli

if TYPE_CHECKING:
    import pytest

    from headwater.settings import Settings


def test_configuration_is_printed_for_terraform_and_holds_no_password(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_ENVIRONMENT", settings.encoded())
    printed = CliRunner().invoke(cli, ["capture", "config"], catch_exceptions=False).stdout
    connector = json.loads(printed)["connector"]
    assert connector["database.hostname"] == "database.example"
    assert connector["database.password"] == settings.connect_capture_password  # how it is looked up
    assert connector["tasks.max"] == "1"
