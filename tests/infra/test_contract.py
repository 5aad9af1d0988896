"""The contract of every environment: its outputs are the fields of the settings."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from headwater.settings import REPOSITORY, Settings

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENTS = sorted(path.parent for path in REPOSITORY.glob("infra/environments/*/outputs.tf"))


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda environment: environment.name)
def test_outputs_of_an_environment_are_the_fields_of_the_settings(environment: Path) -> None:
    names = re.findall(r'^output "(\w+)"', (environment / "outputs.tf").read_text(), re.MULTILINE)
    assert sorted(names) == sorted(field.name for field in fields(Settings))
