"""What tasks of Airflow ask of AWS and of the other parts is what their role on AWS may do."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

import botocore.session
from botocore import xform_name

from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INFRA = REPOSITORY / "infra"
# Whose code gives tasks their rights: the role's own, and the statements that other modules hand to it.
GRANTING = [INFRA / f"modules/aws/{part}/main.tf" for part in ("airflow", "catalog", "spark")]
GRANTING += [INFRA / "modules/aws/cdc/outputs.tf", INFRA / "environments/aws/main.tf"]
PREFIXES = {"mwaa": "airflow"}  # where a service is called otherwise in a policy
IN_PARTS = {"s3"}  # what of it is allowed depends on the bucket: the modules' own tests look at that
# Asked by `terraform apply`, which fills the secrets with the rights of whoever calls it.
OF_TERRAFORM = {"describe_secret", "get_random_password", "put_secret_value"}
# Where code says who it is: in a constant of this name, or when it connects.
NAMES = {"ADMIN", "READER", "ROLE", "reader", "role"}
CONNECTING = {"admin_client", "kafka_client", "postgres_dsn"}
# Asked by people at a terminal, with their own rights.
OF_PEOPLE = {
    "capture": "`headwater capture start-over` and `headwater check`; the connector's own otherwise",
    "carts": "the service that decides, which is no task",
    "console": "`headwater carts why`",
    "notifier": "the service that notifies, which is no task",
    "simulator": "the simulated shop, which AWS does not have",
}


def test_role_of_tasks_may_do_what_their_code_asks_of_aws() -> None:
    granted = {action for file in GRANTING for action in re.findall(r'"([a-z-]+:\w+)"', file.read_text())}
    asked = {action for file in code() for action in actions(file)}
    assert {"emr-serverless:TagResource", "glue:UpdateTable", "kms:Decrypt", "iam:PassRole"} <= asked
    assert asked <= granted


def test_role_of_tasks_may_read_every_password_that_their_code_asks_for() -> None:
    environment = (INFRA / "environments/aws/main.tf").read_text()
    (airflow,) = re.findall(r'^module "airflow" \{\n(.*?)^\}', environment, re.DOTALL | re.MULTILINE)
    (readable,) = re.findall(r"secrets +=.* in \[(.*?)\]", airflow)
    asked = {role for file in code() for role in roles(file)}
    assert OF_PEOPLE.keys() <= asked
    wanted = {
        f"{part}.{user}"
        for part in ("kafka", "postgres")
        for user in users(environment, part) & (asked | {"headwater"}) - OF_PEOPLE.keys()
    }
    assert {"kafka.control", "postgres.shop"} <= wanted
    assert set(re.findall(r'"([^"]+)"', readable)) == wanted


def actions(file: Path) -> Iterator[str]:
    """Name the rights that a file needs: it makes a client, and calls it by words that AWS knows."""
    tree = ast.parse(file.read_text())
    for service in services(tree) - IN_PARTS:
        prefix, operations = PREFIXES.get(service, service), operations_of(service)
        for word in words(tree) & operations.keys() - OF_TERRAFORM:
            yield f"{prefix}:{operations[word].name}"
            members = operations[word].input_shape.members
            if "executionRoleArn" in members:
                yield "iam:PassRole"
            if "tags" in members and "tags" in words(tree):
                yield f"{prefix}:TagResource"


def services(tree: ast.AST) -> set[str]:
    made = re.compile(r"boto3\.(?:client|resource)\('([\w-]+)'")
    return {found[1] for node in ast.walk(tree) if (found := made.match(ast.unparse(node)))}


@cache
def operations_of(service: str) -> dict[str, object]:
    """Return what can be asked of a service, by the words that boto3 has for it."""
    model = botocore.session.get_session().get_service_model(service)
    return {xform_name(name): model.operation_model(name) for name in model.operation_names}


def words(tree: ast.AST) -> set[str]:
    """Return the names of all that is called, and all texts: a call may be named by one."""
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return called | {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def users(environment: str, part: str) -> set[str]:
    (listed,) = re.findall(rf"{part}_users\s*= toset\(\[(.*)\]\)", environment)
    return set(re.findall(r"\w+", listed))


def roles(file: Path) -> Iterator[str]:
    """Name who a file is to Kafka or PostgreSQL: in a constant of that name, or where it connects."""
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Assign(targets=targets, value=ast.Constant(value=str(role))):
                if NAMES & {target.id for target in targets if isinstance(target, ast.Name)}:
                    yield role
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(role))):
                if name in NAMES:
                    yield role
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=given):
                if called in CONNECTING:
                    yield from (one.value for one in given if isinstance(one, ast.Constant))


@cache
def code() -> list[Path]:
    """Return the files of the control plane, but those of the local environment."""
    return [file for file in sorted((REPOSITORY / "headwater").rglob("*.py")) if "local" not in file.parts]
