"""The environment `existing`, applied to parts that exist: those of the tests' own instance."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from headwater import checking
from headwater.errors import Refusal
from headwater.local.secret_store import GENERATORS
from headwater.local.tools import terraform_environment
from headwater.settings import REPOSITORY, Settings
from tests.captures import superuser

if TYPE_CHECKING:
    from collections.abc import Iterator

ENVIRONMENT = REPOSITORY / "infra/environments/existing"


def variables(settings: Settings) -> dict[str, Any]:
    return {
        "instance": settings.instance,
        "home": settings.home,
        "secrets_file": settings.secrets_file,
        "kafka": {
            "bootstrap_servers": settings.kafka_bootstrap_servers,
            "security_protocol": settings.kafka_security_protocol,
            "sasl_mechanism": settings.kafka_sasl_mechanism,
        },
        "connect": {"url": settings.connect_url, "capture_password": settings.connect_capture_password},
        "postgres": {
            "host": settings.postgres_host,
            "port": settings.postgres_port,
            "sslmode": settings.postgres_sslmode,
        },
        "storage": {name: getattr(settings, name) for name in ("warehouse", "checkpoints", "artifacts")},
        "spark": {
            "master": settings.spark_master,
            "rest_url": settings.spark_rest_url,
            "ui_url": settings.spark_ui_url,
            "jars": settings.spark_jars,
            "app_properties": settings.spark_app_properties,
        },
        "airflow_url": settings.airflow_url,
        "notification_channels": settings.notification_channels,
    }


def secrets_of(settings: Settings) -> dict[str, str]:
    return dict(json.loads(Path(settings.secrets_file).read_text()))


class Existing:
    """The environment with a state of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._run("init", f"-backend-config=path={folder}/state")

    def apply(self, settings: Settings) -> subprocess.CompletedProcess[str]:
        file = self._folder / "existing.tfvars.json"
        file.write_text(json.dumps(variables(settings)))
        return self._run("apply", "-auto-approve", f"-var-file={file}")

    def outputs(self) -> dict[str, Any]:
        answer = json.loads(self._run("output", "-json").stdout)
        return {name: output["value"] for name, output in answer.items()}

    def _run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = terraform_environment() | {"TF_DATA_DIR": str(self._folder / "data")}
        command_line = ["terraform", f"-chdir={ENVIRONMENT}", command, *arguments]
        return subprocess.run(command_line, env=environment, capture_output=True, text=True, check=False)


def test_what_is_there_is_put_out_word_for_word(instance: Settings, tmp_path: Path) -> None:
    existing = Existing(tmp_path)
    applied = existing.apply(instance)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert existing.outputs() == asdict(instance)
    state = (tmp_path / "state").read_text()
    assert not any(secret in state for secret in secrets_of(instance).values())


def test_what_is_wrong_is_said_in_one_list_and_nothing_is_put_out(instance: Settings, tmp_path: Path) -> None:
    existing = Existing(tmp_path)
    applied = existing.apply(replace(instance, postgres_port=1, spark_ui_url="http://127.0.0.1:1"))
    assert applied.returncode == 1
    said = applied.stdout + applied.stderr
    assert f'environment "{instance.instance}" is not ready' in said
    assert "PostgreSQL: " in said
    assert "Spark: the Spark master did not answer" in said
    assert "Kafka: " not in said
    assert existing.outputs() == {}


def test_wrong_password_is_told_with_the_user(instance: Settings, tmp_path: Path) -> None:
    secrets = secrets_of(instance) | {"kafka.notifier": "guess"}
    (tmp_path / "secrets.json").write_text(json.dumps(secrets))
    with pytest.raises(Refusal, match='Kafka: user "notifier" is not let in'):
        checking.check(replace(instance, secrets_file=str(tmp_path / "secrets.json")))


def test_wrong_key_of_submissions_is_told(instance: Settings, tmp_path: Path) -> None:
    secrets = secrets_of(instance) | {"spark.submission": GENERATORS["spark.submission"]()}
    (tmp_path / "secrets.json").write_text(json.dumps(secrets))
    with pytest.raises(Refusal, match="Spark: the Spark master does not take our signature"):
        checking.check(replace(instance, secrets_file=str(tmp_path / "secrets.json")))


def test_administrator_who_may_not_make_topics_is_told(
    instance: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "ADMIN", "notifier")  # somebody who is let in, and may do little
    with pytest.raises(Refusal, match='Kafka: user "notifier" may not make topics'):
        checking.check(instance)


def test_role_that_may_do_everything_is_told(instance: Settings) -> None:
    with superuser(instance) as server:
        server.execute("ALTER ROLE shop SUPERUSER")
        try:
            with pytest.raises(Refusal, match='PostgreSQL: role "shop" is a superuser'):
                checking.check(instance)
        finally:
            server.execute("ALTER ROLE shop NOSUPERUSER")


def test_parts_that_lack_something_are_told(instance: Settings, tmp_path: Path) -> None:
    """A master without workers, a Connect without plugins, a folder in a file and one of the kernel's."""
    (tmp_path / "file").touch()
    with answering({"/json/": {"workers": []}, "/connector-plugins": []}) as empty:
        lacking = replace(
            instance,
            spark_ui_url=empty,
            connect_url=empty,
            warehouse=f"{tmp_path}/file/warehouse",
            checkpoints="/proc/checkpoints",
        )
        with pytest.raises(Refusal) as refused:
            checking.check(lacking)
    told = dict(line.split(": ", 1) for line in reversed(refused.value.detail.splitlines()))
    assert told["Spark"] == "no worker is there to run drivers"
    assert told["Connect"].startswith("Connect does not have the plugin io.debezium")
    assert told["storage"] == f"warehouse {tmp_path}/file/warehouse cannot be written (Not a directory)"
    assert "storage: checkpoints /proc/checkpoints cannot be written" in refused.value.detail
    assert told.keys() == {"Spark", "Connect", "storage"}


@contextmanager
def answering(pages: dict[str, Any]) -> Iterator[str]:
    """Answer at an address with these pages."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(pages[self.path]).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_missing_right_is_told(instance: Settings) -> None:
    with superuser(instance) as server:
        server.execute("ALTER ROLE capture NOREPLICATION")
        try:
            with pytest.raises(Refusal, match='PostgreSQL: role "capture" may not replicate'):
                checking.check(instance)
        finally:
            server.execute("ALTER ROLE capture REPLICATION")
    checking.check(instance)
