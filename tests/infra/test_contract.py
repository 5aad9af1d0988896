"""The contract of every environment: its outputs are the fields of the settings."""

from __future__ import annotations

import ast
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

# Services of which the endpoint has another name than the client.
WAYS = {"mwaa": "airflow.env"}


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


def test_every_service_that_the_code_asks_has_a_way_there_on_aws() -> None:
    """The network has no gateway: a client without an endpoint waits, and then fails, every time."""
    variables = (REPOSITORY / "infra/modules/aws/network/variables.tf").read_text()
    offered = _words(variables, r"default = \[(.*?)\]")
    demanded = _words(variables, r"setsubtract\(\[(.*?)\], var\.endpoints")
    # S3 has a gateway of its own; MWAA is called by another name, and asked at its environment.
    wanted = {WAYS.get(service, service) for service in _services_asked()} - {"s3"}
    assert wanted
    assert wanted <= offered
    assert wanted == demanded, "an endpoint that the code needs may not be left out"


def test_way_to_s3_lets_through_all_that_roles_may_do() -> None:
    """Otherwise a right would be granted in one module, and refused on the way by another."""
    modules = REPOSITORY / "infra/modules/aws"
    asked = {
        action for part in ("airflow", "catalog", "cdc", "spark") for action in _s3_actions(modules / part)
    }
    asked -= {
        "s3:GetAccountPublicAccessBlock"
    }  # asked by MWAA itself, of the account, from a network of its own
    assert {"s3:GetObject", "s3:PutObject"} <= asked <= _s3_actions(modules / "network")


def _s3_actions(module: Path) -> set[str]:
    return set(re.findall(r'"(s3:\w+)"', (module / "main.tf").read_text()))


def test_cost_of_aws_is_the_sum_of_its_lines() -> None:
    page = (REPOSITORY / "docs/deploy-aws.md").read_text()
    table = page[page.index("| part |") : page.index("What to turn")].strip().splitlines()
    lines = [[cell.strip(" *") for cell in line.split("|")] for line in table[2:]]
    for column in (3, 5):
        *prices, total = (float(line[column].replace(",", "")) for line in lines)
        assert round(sum(prices), 2) == total
    endpoints = _words(
        (REPOSITORY / "infra/modules/aws/network/variables.tf").read_text(), r"default = \[(.*?)\]"
    )
    [row] = [line for line in lines if line[1].startswith("endpoints")]
    assert row[2].startswith(f"{len(endpoints)} × 2 ")
    assert row[4].startswith(f"{len(endpoints)} × 1 ")


def _services_asked() -> set[str]:
    """Return the name of each service for which the code makes a client; a name must be spelled out there."""
    rooms = [REPOSITORY / room for room in ("headwater", "spark_apps", "expectations", "dags")]
    trees = [ast.parse(file.read_text()) for room in rooms for file in room.rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if _makes_a_client(node)]
    return {ast.literal_eval(call.args[0]) for call in calls if isinstance(call, ast.Call)}


def _makes_a_client(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("boto3.client", "boto3.resource")


def _words(code: str, pattern: str) -> set[str]:
    found = re.search(pattern, code, re.DOTALL)
    assert found, pattern
    return set(re.findall(r'"([^"]+)"', found[1]))


def _as_python(pattern: str) -> str:
    return pattern.replace('\\"', '"')
