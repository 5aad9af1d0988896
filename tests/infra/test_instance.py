"""A running instance: safe by default, supervised, and described by Terraform to the last detail."""

from __future__ import annotations

import configparser
import json
import os
import signal
import stat
import subprocess
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from headwater.airflow_api import Airflow
from headwater.errors import Refusal
from headwater.local import processes, terraform
from headwater.local.jvm import spark_home
from headwater.local.part import wait_until_ready
from headwater.local.parts import observe
from headwater.local.ports import wanted_ports
from headwater.local.record import started_parts
from headwater.local.variables import FILE, remembered
from tests.captures import TESTS, superuser
from tests.places import PLACES, refusals, secrets_in, with_other_secrets
from tests.waiting import wait_for

if TYPE_CHECKING:
    from headwater.settings import Settings

PROGRAMS = {
    "postgres": ["postgres"],
    "kafka": ["kafka-1"],
    "connect": ["connect"],
    "spark": ["spark-master", "spark-worker-1"],
    "airflow": ["airflow-api-server", "airflow-dag-processor", "airflow-scheduler", "airflow-triggerer"],
}


def test_every_part_runs(instance: Settings) -> None:
    running = {status.name: status.part for status in observe(instance) if status.state == "running"}
    assert running == {name: part for part, names in PROGRAMS.items() for name in names}


def test_second_apply_changes_nothing(instance: Settings) -> None:
    home = Path(instance.home)
    command = ["terraform", f"-chdir={terraform.ENVIRONMENT}", "plan", "-detailed-exitcode", "-input=false"]
    plan = subprocess.run(
        [*command, f"-var-file={home}/{FILE}"], env=terraform.environment(home), check=False
    )
    assert plan.returncode == 0  # 2 would mean: there are changes


def test_every_listener_is_on_loopback(instance: Settings) -> None:
    listeners = processes.listeners_of(processes.processes_of_instance(Path(instance.home)))
    assert {listener.address for listener in listeners} == {"127.0.0.1"}
    variables = remembered(Path(instance.home))
    assert variables is not None
    assert set(wanted_ports(variables.port_base)) <= {listener.port for listener in listeners}


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_told_by(instance: Settings, place: str) -> None:
    texts = PLACES[place](instance)
    assert any(texts.values()), "a place where nothing is read tells nothing"
    assert secrets_in(instance, texts) == []


def test_no_refusal_repeats_a_password_that_is_wrong(instance: Settings, tmp_path: Path) -> None:
    mistaken = with_other_secrets(instance, tmp_path)
    said = refusals(mistaken)
    assert "password authentication failed" in said["registry"]
    assert "403" in said["Spark"]
    assert "401" in said["Airflow"] or "nvalid" in said["Airflow"]
    assert secrets_in(mistaken, said) == []


def test_what_hides_secrets_is_on(instance: Settings) -> None:
    assert secrets_in(instance, {"here": instance.secret("kafka.apps")}) == ["here: kafka.apps"]
    environment = PLACES["Spark's pages"](instance)[f"{instance.spark_ui_url}/environment/"]
    assert "JWSFilter.param.secretKey" in environment
    assert "redacted" in environment
    with pytest.raises(Refusal, match="Airflow refused") as refused:
        Airflow(instance).call("GET", "config")
    assert "403" in str(refused.value.__cause__)


def test_other_users_can_open_nothing_of_ours(instance: Settings) -> None:
    home = Path(instance.home)
    server = home / "postgres/server"  # the program itself, as anybody can download it
    files = [path for path in home.rglob("*") if path.is_file() and server not in path.parents]
    assert {str(path.relative_to(home)) for path in files if open_to_others(path, home)} <= {
        "instance.tfvars.json",  # ports and sizes
        "lock",
        "secrets.lock",
        "postgres/server.txt",  # its version
    }


def open_to_others(path: Path, home: Path) -> bool:
    above = [folder for folder in path.parents if folder == home or home in folder.parents]
    passable = all(folder.stat().st_mode & 0o001 for folder in above)
    return passable and bool(path.stat().st_mode & 0o004)


def test_files_with_secrets_are_for_their_owner_only(instance: Settings) -> None:
    home = Path(instance.home)
    files = [home / path for part in started_parts(home) for path in part.files]
    files += [Path(instance.secrets_file), *(home / "supervisor").rglob("*.conf")]
    modes = {str(path): stat.S_IMODE(path.stat().st_mode) for path in files}
    assert set(modes.values()) == {0o600}


def test_postgres_does_not_run_as_root(instance: Settings) -> None:
    (postgres,) = [status.pid for status in observe(instance) if status.name == "postgres"]
    assert Path(f"/proc/{postgres}").stat().st_uid != 0


def test_postgres_refuses_a_wrong_password(instance: Settings) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(instance.postgres_dsn().replace(instance.secret("postgres.headwater"), "guess"))


def test_each_database_is_closed_to_the_role_of_the_other(instance: Settings) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(instance.postgres_dsn("airflow", "headwater"))


def test_every_way_into_postgres_wants_a_scrambled_password(instance: Settings) -> None:
    with superuser(instance) as server:
        ways = server.execute("SELECT DISTINCT auth_method, error FROM pg_hba_file_rules").fetchall()
        kept = server.execute("SELECT rolname, rolpassword FROM pg_authid WHERE rolcanlogin").fetchall()
    assert ways == [("scram-sha-256", None)]
    assert {role for role, _ in kept} == {"superuser", "headwater", "airflow", "shop", "capture"}
    assert all(password.startswith("SCRAM-SHA-256$") for _, password in kept)


def test_no_role_of_postgres_can_do_more_than_its_purpose(instance: Settings) -> None:
    with superuser(instance) as server:
        rights = server.execute(
            "SELECT rolname, rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls, rolreplication "
            "FROM pg_roles WHERE rolcanlogin AND rolname <> 'superuser' ORDER BY 1"
        ).fetchall()
    assert rights == [
        ("airflow", False, False),
        ("capture", False, True),  # reads the write-ahead log
        ("headwater", False, False),
        ("shop", False, False),
    ]


def test_nobody_works_as_superuser(instance: Settings) -> None:
    with superuser(instance) as server:
        connected = server.execute(
            "SELECT DISTINCT usename FROM pg_stat_activity "
            "WHERE application_name <> %s AND backend_type IN ('client backend', 'walsender')",
            [TESTS],
        ).fetchall()
    assert {role for (role,) in connected} >= {"airflow", "capture"}
    assert ("superuser",) not in connected


def test_postgres_writes_a_logical_log(instance: Settings) -> None:
    with psycopg.connect(instance.postgres_dsn()) as connection:
        assert connection.execute("SHOW wal_level").fetchone() == ("logical",)


def test_kafka_refuses_a_wrong_password(instance: Settings) -> None:
    client = instance.kafka_client("admin") | {"sasl_plain_password": "guess", "bootstrap_timeout_ms": 5000}
    with pytest.raises(KafkaError):
        KafkaAdminClient(**client).describe_cluster()


def test_spark_refuses_a_submission_without_a_token(instance: Settings) -> None:
    request = urllib.request.Request(f"{instance.spark_rest_url}/v1/submissions/create", b"{}", method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    assert refused.value.code == 403


def test_spark_refuses_who_comes_by_the_other_port(instance: Settings) -> None:
    """Spark's older client sends drivers, and ends them, without the REST port and its tokens."""
    command = [spark_home() / "bin/spark-class", "org.apache.spark.deploy.Client", "kill"]
    done = subprocess.run(
        [*command, instance.spark_master, "driver-0"],
        env={"PATH": os.environ["PATH"], "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "does not have SASL enabled" in done.stderr
    assert "driver-0 has already finished or does not exist" not in done.stderr


def test_airflow_lets_the_generated_password_in_and_no_other(instance: Settings) -> None:
    assert log_in(instance, instance.secret("airflow.admin")) == 201
    assert log_in(instance, "guess") == 401


def test_airflow_keeps_its_keys_over_restarts_in_a_file_of_its_own(instance: Settings) -> None:
    file = Path(instance.home, "airflow/airflow.cfg")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    config = configparser.ConfigParser(interpolation=None)
    config.read(file)
    assert config["core"]["fernet_key"] == instance.secret("airflow.fernet")
    assert config["api_auth"]["jwt_secret"] == instance.secret("airflow.jwt")
    assert config["api"]["secret_key"] == instance.secret("airflow.session")
    assert config["api"].getboolean("expose_config") is False


def test_airflow_keeps_passwords_of_connections_sealed_and_shows_none(instance: Settings) -> None:
    airflow, password = Airflow(instance), uuid.uuid4().hex
    connection = {"connection_id": f"probe_{password[:8]}", "conn_type": "http", "password": password}
    airflow.call("POST", "connections", connection | {"extra": json.dumps({"token": password})})
    try:
        paths = (f"connections/{connection['connection_id']}", "eventLogs?order_by=-id")
        shown = {path: airflow.call("GET", path) for path in paths}
        with psycopg.connect(instance.postgres_dsn("airflow", "airflow")) as server:
            (kept,) = server.execute(
                "SELECT to_jsonb(connection)::text FROM connection WHERE password IS NOT NULL"
            ).fetchall()
    finally:
        airflow.call("DELETE", f"connections/{connection['connection_id']}")
    assert password not in json.dumps(shown)
    assert '"is_encrypted": true' in kept[0]
    assert password not in kept[0]


def test_connect_offers_debezium(instance: Settings) -> None:
    with urllib.request.urlopen(f"{instance.connect_url}/connector-plugins", timeout=10) as answer:
        classes = {plugin["class"] for plugin in json.load(answer)}
    assert "io.debezium.connector.postgresql.PostgresConnector" in classes


@pytest.mark.parametrize("part", PROGRAMS)
def test_killed_part_comes_back(instance: Settings, part: str) -> None:
    before = pids(instance, part)
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)
    wait_for_other_pids(instance, part, before)
    (record,) = [record for record in started_parts(Path(instance.home)) if record.name == part]
    wait_until_ready(record)
    assert set(pids(instance, part)) == set(before)


def pids(instance: Settings, part: str) -> dict[str, int]:
    statuses = [status for status in observe(instance) if status.part == part]
    return {status.name: status.pid for status in statuses if status.pid is not None}


def wait_for_other_pids(instance: Settings, part: str, before: dict[str, int]) -> None:
    wait_for(f"other processes of {part}", lambda: are_others(pids(instance, part), before))


def are_others(after: dict[str, int], before: dict[str, int]) -> bool:
    return after.keys() == before.keys() and not set(after.values()) & set(before.values())


def log_in(instance: Settings, password: str) -> int:
    body = json.dumps({"username": "admin", "password": password}).encode()
    request = urllib.request.Request(
        f"{instance.airflow_url}/auth/token", body, {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
