"""The contract of every environment: its outputs are the fields of the settings."""

from __future__ import annotations

import re
from dataclasses import fields

from headwater.settings import REPOSITORY, Settings


def test_outputs_of_the_local_environment_are_the_fields_of_the_settings() -> None:
    outputs = (REPOSITORY / "infra/environments/local/outputs.tf").read_text()
    names = re.findall(r'^output "(\w+)"', outputs, re.MULTILINE)
    assert sorted(names) == sorted(field.name for field in fields(Settings))
