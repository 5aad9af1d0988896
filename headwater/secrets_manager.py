"""Secrets Manager: where the AWS environment keeps its passwords.

    HEADWATER_SECRETS='{"AmazonMSK_headwater-main/kafka.apps": "apps"}' python -m headwater.secrets_manager

gives every named secret a password, unless it has one of this HEADWATER_GENERATION. Terraform makes the
secrets and calls this, so that no password ever passes through Terraform, its plan or its state.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

LENGTH = 32
AMBIGUOUS = "\"'\\@/:%$ "  # characters that connection strings and property files give a meaning of their own


def read(name: str) -> str:
    """Return the password that a secret holds."""
    try:
        value = _client().get_secret_value(SecretId=name)["SecretString"]
    except (ClientError, BotoCoreError) as error:
        raise Refusal(
            f'secret "{name}" could not be read',
            detail=str(error),
            hint="See whether the role may read it, and whether `terraform apply` came to its end.",
        ) from error
    return str(json.loads(value)["password"])


def fill(users: Mapping[str, str], generation: int) -> list[str]:
    """Give each secret a password of this generation; return those that got one."""
    client, stage = _client(), f"generation-{generation}"
    return [name for name, user in users.items() if _fill(client, name, user, stage)]


def _fill(client: Any, name: str, user: str, stage: str) -> bool:
    versions = client.describe_secret(SecretId=name).get("VersionIdsToStages", {})
    if any(stage in stages for stages in versions.values()):
        return False
    password = client.get_random_password(PasswordLength=LENGTH, ExcludeCharacters=AMBIGUOUS)[
        "RandomPassword"
    ]
    value = json.dumps({"username": user, "password": password})
    client.put_secret_value(SecretId=name, SecretString=value, VersionStages=["AWSCURRENT", stage])
    return True


def _client() -> Any:
    return boto3.client("secretsmanager")


if __name__ == "__main__":
    filled = fill(json.loads(os.environ["HEADWATER_SECRETS"]), int(os.environ["HEADWATER_GENERATION"]))
    print(f"{len(filled)} secrets got a new value: {', '.join(filled) or 'none'}")
