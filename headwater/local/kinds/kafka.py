"""Kafka: format the storage with the first credentials, then give each role its own."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import subprocess
from typing import TYPE_CHECKING

from kafka import KafkaAdminClient
from kafka.admin import ScramMechanism, UserScramCredentialUpsertion
from kafka.errors import KafkaError

from headwater.errors import Refusal
from headwater.local.files import write_private
from headwater.local.kinds.kind import Kind
from headwater.local.secret_store import load_secrets
from headwater.local.tools import find_java

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from headwater.local.record import Part

FIRST_USERS = ("broker", "admin")  # needed before anyone can log in
ROLES = ("simulator", "apps", "replay", "connect", "control", "notifier", "carts", "console")


class Kafka(Kind):
    """The brokers and the users that may log in."""

    def prepare(self, part: Part) -> None:
        """Format the storage of each broker, once; all have the same cluster id."""
        for name in part.programs:
            if not (part.folder / name / "meta.properties").exists():
                _format(part, name)

    def waiting_for(self, part: Part) -> str:
        """Log in as admin and count the brokers."""
        try:
            with admin_client(part) as admin:
                found = len(admin.describe_cluster()["brokers"])
        except (KafkaError, OSError) as error:
            return f"Kafka does not answer: {error}"
        wanted = int(part.facts["brokers"])
        return "" if found == wanted else f"{found} of {wanted} brokers have joined."

    def settle(self, part: Part) -> None:
        """Give each role its credentials, again too: a role may be newer than the formatted storage."""
        with admin_client(part) as admin:
            _give_credentials(admin, ROLES, load_secrets(part.home))


def add_missing_users(admin: KafkaAdminClient, passwords: Mapping[str, str]) -> list[str]:
    """Give credentials to the roles that are newer than the running brokers; return their names."""
    known = admin.describe_user_scram_credentials()
    missing = [role for role in ROLES if role not in known]
    if missing:
        _give_credentials(admin, missing, passwords)
    return missing


@contextlib.contextmanager
def admin_client(part: Part) -> Iterator[KafkaAdminClient]:
    """Connect as admin, as patient as a poll has to be, and without a line of log per attempt."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    client = KafkaAdminClient(
        bootstrap_servers=part.facts["bootstrap_servers"],
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="SCRAM-SHA-512",
        sasl_plain_username="admin",
        sasl_plain_password=load_secrets(part.home)["kafka.admin"],
        bootstrap_timeout_ms=3000,
        request_timeout_ms=10000,
    )
    try:
        yield client
    finally:
        client.close()


def _give_credentials(admin: KafkaAdminClient, roles: Iterable[str], passwords: Mapping[str, str]) -> None:
    refused = admin.alter_user_scram_credentials(
        [
            UserScramCredentialUpsertion(
                role, ScramMechanism.SCRAM_SHA_512, passwords[f"kafka.{role}"], iterations=4096
            )
            for role in roles
        ]
    )
    if failed := {role: error for role, error in refused.items() if error}:
        raise Refusal("Kafka did not take the credentials of all roles", detail=str(failed))


def _format(part: Part, name: str) -> None:
    """Format one broker's storage. Credentials go through a file: a command line is for all to see."""
    arguments = part.folder / ".credentials"
    passwords = load_secrets(part.home)
    lines = [
        f"--add-scram\nSCRAM-SHA-512=[name={user},password={passwords[f'kafka.{user}']}]\n"
        for user in FIRST_USERS
    ]
    write_private(arguments, "".join(lines))
    command = [
        find_java() or "java",
        "-Xmx256m",
        "-cp",
        f"{part.home}/jvm/kafka/*",
        "kafka.tools.StorageTool",
        "format",
    ]
    command += ["--cluster-id", _cluster_id(part.folder), "--config", f"{part.folder}/{name}.properties"]
    try:
        done = subprocess.run([*command, f"@{arguments}"], capture_output=True, text=True, check=False)
    finally:
        arguments.unlink()
    if done.returncode:
        raise Refusal(f'the storage of "{name}" could not be formatted', detail=done.stderr.strip()[-800:])


def _cluster_id(folder: Path) -> str:
    """Return the id that all brokers of the instance share."""
    path = folder / "cluster-id"
    if not path.exists():
        write_private(path, base64.urlsafe_b64encode(b"\x4d" + os.urandom(15)).decode().rstrip("="))
    return path.read_text()
