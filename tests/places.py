"""Every place of a running instance at which somebody who should not may look for a secret."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from headwater import registry
from headwater.airflow_api import Airflow
from headwater.engines import engine_of
from headwater.errors import Refusal
from headwater.local import processes, terraform
from headwater.local.secret_store import GENERATORS
from headwater.local.variables import FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from headwater.settings import Settings

Texts = dict[str, str]
# All of Airflow's interface that shows what it was set up with, or what was done.
AIRFLOW = [
    *("connections", "variables", "plugins", "providers", "pools", "importErrors", "eventLogs", "jobs"),
    *("dags?limit=100", "dags/~/dagRuns", "dags/~/dagRuns/~/taskInstances", "dagWarnings"),
]
SPARK = ["/", "/json/", "/environment/"]
SPARK_APP = ["environment", "executors", "jobs", "stages", "sql?details=true&planDescription=true"]
CONNECT = ["/", "/connectors?expand=info&expand=status", "/connector-plugins", "/connectors/shop/tasks"]


def secrets_in(instance: Settings, texts: Mapping[str, str]) -> list[str]:
    """Return where which secret was found, by its name."""
    secrets: dict[str, str] = json.loads(Path(instance.secrets_file).read_text())
    return [
        f"{place}: {name}"
        for place, text in texts.items()
        for name, value in secrets.items()
        if value in text
    ]


def _files(instance: Settings) -> Texts:
    """Terraform's state, all logs, and what is remembered of parts."""
    home = Path(instance.home)
    folders = ("terraform", "logs", "parts", "airflow/logs", "spark/work", "checkpoints", "artifacts")
    return _read(path for folder in folders for path in (home / folder).rglob("*") if path.is_file())


def _plan(instance: Settings) -> Texts:
    """All that a plan can print: that of the end of everything."""
    home = Path(instance.home)
    command = [
        "terraform",
        f"-chdir={terraform.ENVIRONMENT}",
        "plan",
        "-destroy",
        "-input=false",
        "-no-color",
    ]
    done = subprocess.run(
        [*command, f"-var-file={home}/{FILE}"],
        env=terraform.environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    return {"plan": done.stdout + done.stderr}


def _processes(instance: Settings) -> Texts:
    """Read what is shown of processes, to everybody (cmdline) and to their owner (environ)."""
    pids = processes.processes_of_instance(Path(instance.home))
    read = _read(Path(f"/proc/{pid}/{shown}") for pid in pids for shown in ("cmdline", "environ"))
    # Spark has no other way to hand its secret to executors and drivers; only their owner can look there.
    return {path: re.sub("_SPARK_AUTH_SECRET=[^\0]*", "", text) for path, text in read.items()}


def _spark(instance: Settings) -> Texts:
    """Ask the master and its workers."""
    workers = [worker["webuiaddress"] for worker in _master(instance)["workers"]]
    return {url + page: _asked(url + page) for url in (instance.spark_ui_url, *workers) for page in SPARK}


def _master(instance: Settings) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_asked(f"{instance.spark_ui_url}/json/"))
    return told


def _connect(instance: Settings) -> Texts:
    return {page: _asked(instance.connect_url + page) for page in CONNECT}


def _airflow(instance: Settings) -> Texts:
    """Ask Airflow for all that it shows, and for what each task was given, has left and has said."""
    airflow = Airflow(instance)
    paths = [*AIRFLOW, *(path for task in _tasks(airflow) for path in _left_by(airflow, task))]
    return {path: json.dumps(airflow.call("GET", path)) for path in paths}


def _tasks(airflow: Airflow) -> list[dict[str, Any]]:
    """Return the newest tasks that were begun."""
    found = airflow.call("GET", "dags/~/dagRuns/~/taskInstances?limit=20&order_by=-start_date")
    return [task for task in found["task_instances"] if task["start_date"] and task["try_number"]]


def _left_by(airflow: Airflow, task: dict[str, Any]) -> Iterator[str]:
    run = quote(task["dag_run_id"], safe="")
    place = f"dags/{task['dag_id']}/dagRuns/{run}/taskInstances/{task['task_id']}"
    yield place  # with its rendered fields
    yield f"{place}/logs/{task['try_number']}?full_content=true"
    for entry in airflow.call("GET", f"{place}/xcomEntries")["xcom_entries"]:
        yield f"{place}/xcomEntries/{quote(entry['key'], safe='')}"


def _silence(instance: Settings) -> Texts:
    """Hear what is said when nobody answers, by each who knows a password."""
    elsewhere = replace(
        instance,
        postgres_port=1,
        kafka_bootstrap_servers="127.0.0.1:1",
        spark_rest_url="http://127.0.0.1:1",
        airflow_url="http://127.0.0.1:1",
    )
    return refusals(elsewhere)


def refusals(settings: Settings) -> Texts:
    """Return what is said by each part that does not let us in."""
    ways: dict[str, Callable[[], object]] = {
        "registry": lambda: registry.connect(settings),
        "Kafka": lambda: KafkaAdminClient(
            **settings.kafka_client("apps"), bootstrap_timeout_ms=3000
        ).describe_cluster(),
        "Spark": lambda: engine_of(settings).running("driver-0"),
        "Airflow": lambda: Airflow(settings).paused(),
    }
    return {part: _refused(way) for part, way in ways.items()}


def with_other_secrets(instance: Settings, folder: Path) -> Settings:
    """Return the same instance as somebody sees it who has every password wrong."""
    file = folder / "secrets.json"
    file.write_text(json.dumps({name: generate() for name, generate in GENERATORS.items()}))
    return replace(instance, secrets_file=str(file))


def app_pages(instance: Settings) -> Texts:
    """Return all that the pages of running apps show."""
    found: Texts = {}
    for app in _master(instance)["activeapps"]:
        page = _asked(f"{instance.spark_ui_url}/app/?appId={app['id']}")
        (url,) = re.findall(r'href="(http://[^"]+)">Application Detail UI', page)
        pages = [f"/api/v1/applications/{app['id']}/{page}" for page in SPARK_APP]
        found |= {page: _asked(url + page) for page in (*pages, "/environment/", "/SQL/", "/StreamingQuery/")}
    return found


PLACES: dict[str, Callable[[Settings], Texts]] = {
    "files": _files,
    "a plan": _plan,
    "processes": _processes,
    "Spark's pages": _spark,
    "Connect": _connect,
    "Airflow": _airflow,
    "refusals": _silence,
}


def _asked(url: str) -> str:
    """Return what is answered, a refusal, too."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return str(answer.read().decode(errors="replace"))
    except urllib.error.HTTPError as error:
        return error.read().decode(errors="replace")


def _refused(way: Callable[[], object]) -> str:
    try:
        way()
    except (Refusal, KafkaError) as refusal:
        return str(refusal)
    raise AssertionError("somebody answered")


def _read(paths: Iterable[Path]) -> Texts:
    found = {}
    for path in paths:
        with suppress(FileNotFoundError, ProcessLookupError):  # gone meanwhile
            found[str(path)] = path.read_bytes().decode(errors="replace")
    return found
