"""Passwords in Secrets Manager, as moto plays it: made once, read when needed, renewed on request."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import boto3
import pytest

from headwater import secrets_manager
from headwater.errors import Refusal
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from headwater.settings import Settings

USERS = {
    "AmazonMSK_headwater-test/kafka.apps": "apps",
    "AmazonMSK_headwater-test/postgres.headwater": "headwater",
}


@pytest.fixture(autouse=True)
def _places() -> None:
    for name in USERS:
        boto3.client("secretsmanager").create_secret(Name=name)


def test_every_secret_gets_a_password_of_its_own(settings: Settings) -> None:
    assert secrets_manager.fill(USERS, 1) == list(USERS)
    passwords = {settings.secret("kafka.apps"), settings.secret("postgres.headwater")}
    assert [len(password) for password in passwords] == [32, 32]


def test_secret_has_the_form_that_msk_wants() -> None:
    secrets_manager.fill(USERS, 1)
    value = boto3.client("secretsmanager").get_secret_value(SecretId=next(iter(USERS)))["SecretString"]
    assert json.loads(value).keys() == {"username", "password"}
    assert json.loads(value)["username"] == "apps"


def test_filling_again_changes_nothing(settings: Settings) -> None:
    secrets_manager.fill(USERS, 1)
    before = settings.secret("kafka.apps")
    assert secrets_manager.fill(USERS, 1) == []
    assert settings.secret("kafka.apps") == before


def test_next_generation_renews_every_password(settings: Settings) -> None:
    secrets_manager.fill(USERS, 1)
    before = settings.secret("kafka.apps")
    assert secrets_manager.fill(USERS, 2) == list(USERS)
    assert settings.secret("kafka.apps") != before


def test_terraform_tells_the_program_all_that_it_must_know() -> None:
    """An apply has an account at hand, but no region: that of the provider is Terraform's own."""
    module = (REPOSITORY / "infra/modules/aws/secrets/main.tf").read_text()
    (told,) = re.findall(r"environment = \{\n(.*?)\n +\}", module, re.DOTALL)
    values = {"HEADWATER_SECRETS": "{}", "HEADWATER_GENERATION": "1", "AWS_DEFAULT_REGION": "eu-central-1"}
    names = re.findall(r"^ +(\w+) +=", told, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-m", "headwater.secrets_manager"],
        env={name: values.get(name, "") for name in names},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "0 secrets got a new value: none\n", done.stderr


def test_password_fits_into_a_connection_string(settings: Settings) -> None:
    secrets_manager.fill(USERS, 1)
    assert not set(settings.secret("postgres.headwater")) & set(secrets_manager.AMBIGUOUS)
    assert settings.secret("postgres.headwater") in settings.postgres_dsn()


def test_secret_that_does_not_exist_is_refused_by_name(settings: Settings) -> None:
    with pytest.raises(Refusal, match=r'secret "AmazonMSK_headwater-test/kafka.nobody" could not be read'):
        settings.secret("kafka.nobody")
