"""The contract of every environment: its outputs are the fields of the settings."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from headwater.settings import REPOSITORY, Settings
from headwater.topics import load_topics
from headwater.topics.access import roles
from spark_apps.catalog import views

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENTS = sorted(path.parent for path in REPOSITORY.glob("infra/environments/*/outputs.tf"))


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda environment: environment.name)
def test_outputs_of_an_environment_are_the_fields_of_the_settings(environment: Path) -> None:
    names = re.findall(r'^output "(\w+)"', (environment / "outputs.tf").read_text(), re.MULTILINE)
    assert sorted(names) == sorted(field.name for field in fields(Settings))


def test_every_role_of_kafka_has_a_password_on_aws() -> None:
    code = (REPOSITORY / "infra/environments/aws/main.tf").read_text()
    users = re.search(r"kafka_users\s*= toset\(\[(.*)\]\)", code)
    assert users
    # MSK Connect proves itself with a role of AWS, and the administrator is in no topic's file.
    wanted = roles(load_topics().values()) - {"connect"} | {"admin"}
    assert set(re.findall(r"\w+", users[1])) == wanted


def test_every_app_has_a_role_on_aws() -> None:
    code = (REPOSITORY / "infra/environments/aws/variables.tf").read_text()
    declared = re.search(r'variable "apps" .*?default\s*= \[(.*?)\]', code, re.DOTALL)
    assert declared
    assert set(re.findall(r"\w+", declared[1])) == {view.app for view in views().values()}
