"""Where everything is: the outputs of the environment, and the secrets that go with them.

Terraform's outputs are the contract of every environment. `make up` stores them as `environment.json` in the
instance's home; every client (CLI, DAG, Spark driver, test) learns addresses from there and credentials from
the secrets, and from nowhere else.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from headwater.errors import Refusal

REPOSITORY = Path(__file__).resolve().parent.parent
DEFAULT_INSTANCE = "main"
# A Unix socket's path has at most 107 characters, of which an instance needs some for itself.
LONGEST_REPOSITORY = 50
INSTANCE_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
TOLD = "HEADWATER_ENVIRONMENT"  # all settings in one word, for who is far from any home
SECRETS_MANAGER = "secretsmanager:"  # in place of a file, followed by how the names of the secrets begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The outputs of an environment, one field each; `outputs.tf` of every environment has the same names."""

    instance: str
    home: str
    kafka_bootstrap_servers: str
    kafka_security_protocol: str
    kafka_sasl_mechanism: str
    connect_url: str
    connect_capture_password: str  # not the password: what Connect's worker looks it up by
    postgres_host: str
    postgres_port: int
    postgres_sslmode: str  # in the words of PostgreSQL: disable, require, verify-full, …
    warehouse: str
    glue_database: str  # of AWS: where its own tools look for views; empty where nobody looks
    checkpoints: str
    artifacts: str
    spark_master: str
    spark_rest_url: str
    spark_ui_url: str
    spark_jars: str
    spark_app_properties: dict[str, str]
    spark_roles: dict[str, str]  # of AWS, by app; none on a cluster of our own
    spark_log_group: str  # of AWS
    airflow_url: str
    notification_channels: dict[str, dict[str, str]]
    secrets_file: str

    reader: ClassVar[str] = "apps"  # who this process is to Kafka when it reads the log

    @classmethod
    def load(cls, home: Path | None = None) -> Self:
        """Read the settings of the instance at `home`, by default the one the process belongs to.

        A process far from any home, a driver on AWS or a task of its Airflow, is told them as a whole.
        """
        if home is None and (told := os.environ.get(TOLD)):
            return cls.from_outputs(json.loads(base64.b64decode(told)))
        home = home or instance_home()
        path = home / "environment.json"
        if not path.exists():
            raise Refusal(
                f'instance "{home.name}" is not set up',
                detail=f"{path} does not exist.",
                hint="Run `make up` first, or name another instance with HEADWATER_INSTANCE.",
            )
        return cls.from_outputs(json.loads(path.read_text()))

    @classmethod
    def from_outputs(cls, outputs: dict[str, Any]) -> Self:
        """Check the outputs of an environment against the contract."""
        expected = {field.name for field in fields(cls)}
        if missing := expected - outputs.keys():
            raise Refusal(
                "the environment does not keep its contract",
                detail=f"Missing outputs: {', '.join(sorted(missing))}.",
                hint="Run `make up` again; it renews the outputs. If not, compare outputs.tf with this file.",
            )
        return cls(**{name: outputs[name] for name in expected})

    def encoded(self) -> str:
        """Return all settings in one word, for HEADWATER_ENVIRONMENT. They hold no secret."""
        return base64.b64encode(json.dumps(asdict(self)).encode()).decode()

    def secret(self, name: str) -> str:
        """Return one secret, e.g. `kafka.apps`. Read at each call: secrets are never kept in a record."""
        if self.secrets_file.startswith(SECRETS_MANAGER):
            from headwater import secrets_manager  # takes AWS's library along

            return secrets_manager.read(self.secrets_file.removeprefix(SECRETS_MANAGER) + name)
        secrets: dict[str, str] = json.loads(Path(self.secrets_file).read_text())
        if name not in secrets:
            raise Refusal(
                f'secret "{name}" does not exist',
                detail=f"{self.secrets_file} has no such entry.",
                hint="Run `make up`: it generates the secrets that are missing.",
            )
        return secrets[name]

    def kafka_client(self, role: str) -> dict[str, Any]:
        """Return the connection options of kafka-python for one role, e.g. `apps`."""
        return {
            "bootstrap_servers": self.kafka_bootstrap_servers,
            "security_protocol": self.kafka_security_protocol,
            "sasl_mechanism": self.kafka_sasl_mechanism,
            "sasl_plain_username": role,
            "sasl_plain_password": self.secret(f"kafka.{role}"),
        }

    def postgres_dsn(self, database: str = "headwater", role: str = "headwater") -> str:
        """Return a libpq connection string for one role."""
        password = self.secret(f"postgres.{role}")
        return (
            f"host={self.postgres_host} port={self.postgres_port} "
            f"sslmode={self.postgres_sslmode} "
            f"dbname={database} user={role} password={password} application_name=headwater"
        )


class Replaying(Settings):
    """The same settings, of who computes the past again: candidates, proofs, jobs. They write no topic."""

    __slots__ = ()
    reader: ClassVar[str] = "replay"


def instance_home() -> Path:
    """Return the folder of the instance that this process belongs to.

    HEADWATER_HOME names the folder itself (drivers get it from whoever submitted them); otherwise
    HEADWATER_DATA/HEADWATER_INSTANCE, by default `main` in the data folder.
    """
    if home := os.environ.get("HEADWATER_HOME"):
        return Path(home)
    name = os.environ.get("HEADWATER_INSTANCE", DEFAULT_INSTANCE)
    if not INSTANCE_NAME.fullmatch(name):
        raise Refusal(
            f'"{name}" cannot name an instance',
            detail="A name starts with a letter and has at most 31 lower-case letters, digits and hyphens.",
            hint="Set HEADWATER_INSTANCE to such a name, for example `main`.",
        )
    data = os.environ.get("HEADWATER_DATA")
    return (Path(data) if data else data_folder(REPOSITORY)) / name


def data_folder(repository: Path, longest: int = LONGEST_REPOSITORY) -> Path:
    """Return where instances live by default: `.headwater` in the repository, or below the system's data.

    The latter when root has cloned to a place that is closed to others, such as its own home: PostgreSQL runs
    as another user and could not get there; or when the path is too long for the name of a socket.
    """
    closed = os.geteuid() == 0 and any(not folder.stat().st_mode & 0o001 for folder in _up_from(repository))
    if not closed and len(str(repository)) <= longest:
        return repository / ".headwater"
    shared = Path("/var/lib") if os.geteuid() == 0 else Path.home() / ".local/state"
    return shared / "headwater" / f"{zlib.crc32(str(repository).encode()):08x}"


def _up_from(folder: Path) -> list[Path]:
    return [folder, *folder.parents]
