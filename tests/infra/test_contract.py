"""The contract of every environment: its outputs are the fields of the settings."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from headwater.declared import FOLDER
from headwater.settings import REPOSITORY, Settings
from headwater.topics import load_topics
from headwater.topics.access import roles
from spark_apps import archiving
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


def test_aws_reads_from_the_files_which_app_keeps_which_view() -> None:
    """Terraform cannot run Python: it looks for a line in each view's file, and in that of the archive."""
    code = (REPOSITORY / "infra/environments/aws/main.tf").read_text()
    line, archive = '\\n    app=\\"([a-z0-9_]+)\\"', '\\nAPP = \\"([a-z0-9_]+)\\"\\n'
    assert line in code
    assert archive in code
    files = {file.stem: file.read_text() for file in FOLDER.glob("[a-z]*.py")}
    found = {name: re.findall(_as_python(line), text) for name, text in files.items()}
    assert found == {view.name: [view.app] for view in views().values()}
    text = (REPOSITORY / "spark_apps/archiving.py").read_text()
    assert re.findall(_as_python(archive), text) == [archiving.APP]


def test_maintenance_on_aws_may_write_every_namespace_of_the_lake() -> None:
    code = (REPOSITORY / "infra/modules/aws/spark/main.tf").read_text()
    granted = re.search(r"namespaces = \[(.*?)\]", code)
    made = re.search(
        r"for namespace in \((.*?)\):", (REPOSITORY / "spark_apps/session.py").read_text(), re.DOTALL
    )
    assert granted
    assert made
    assert set(re.findall(r"\w+", made[1])) <= set(re.findall(r"\w+", granted[1]))


def _as_python(pattern: str) -> str:
    return pattern.replace('\\"', '"')
