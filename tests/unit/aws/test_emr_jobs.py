"""Bounded jobs on EMR Serverless, as moto plays it: run once, waited for, found again, ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from moto.emrserverless.models import emrserverless_backends

from headwater import jobs
from headwater.engines import Submission
from headwater.engines.emr_jobs import EmrJobs
from headwater.errors import Refusal
from tests.aws_environment import REGION, runs

if TYPE_CHECKING:
    from headwater.settings import Settings

PROOF = Submission(
    name="prove",
    artifact="s3://headwater-test-artifacts/packed/0a1b.zip",
    arguments=("prove", "page_views_per_minute", "v2"),
)


class Ending:
    """A pause in which every run comes to its end, as EMR's own time would bring it."""

    def __init__(self, application: str, state: str, details: str = "") -> None:
        self._application, self._state, self._details = application, state, details
        self.pauses = 0

    def __call__(self, _seconds: float) -> None:
        self.pauses += 1
        for run in emrserverless_backends["123456789012"][REGION].job_runs[self._application]:
            if run.state == "RUNNING":
                run.state, run.state_details = self._state, self._details


@pytest.fixture
def succeeding(application: str) -> Ending:
    return Ending(application, "SUCCESS")


def test_job_is_waited_for_until_it_has_succeeded(
    settings: Settings, emr: Any, application: str, succeeding: Ending
) -> None:
    EmrJobs(settings, succeeding).run(PROOF, "a task")
    (run,) = runs(emr, application)
    assert (run["state"], succeeding.pauses) == ("SUCCESS", 1)


def test_job_is_a_bounded_run_of_the_packed_code(
    settings: Settings, emr: Any, application: str, succeeding: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    service, sent = EmrJobs(settings, succeeding), []
    service._application.client.meta.events.register(
        "provide-client-params.emr-serverless.StartJobRun", lambda params, **_: sent.append(params)
    )
    service.run(PROOF, "a task")
    (asked,) = sent
    assert asked["mode"] == "BATCH"
    assert asked["executionTimeoutMinutes"] == 360
    driver = asked["jobDriver"]["sparkSubmit"]
    assert driver["entryPoint"] == "s3://headwater-test-artifacts/packed/0a1b.py"
    assert driver["entryPointArguments"] == ["prove", "page_views_per_minute", "v2"]
    (run,) = runs(emr, application)
    assert run["id"] in (said := capsys.readouterr().out)
    assert settings.spark_log_group in said


def test_job_that_writes_has_a_role_of_its_own_and_others_only_look(
    settings: Settings, emr: Any, application: str, succeeding: Ending
) -> None:
    EmrJobs(settings, succeeding).run(PROOF, "a task")
    EmrJobs(settings, succeeding).run(replace(PROOF, name="maintain"), "another task")
    assert [run["executionRole"].rsplit("-")[-1] for run in runs(emr, application)] == ["jobs", "maintain"]


def test_failed_job_is_refused_with_what_emr_says_of_it_and_run_again_when_asked_again(
    settings: Settings, emr: Any, application: str, succeeding: Ending
) -> None:
    failing = Ending(application, "FAILED", "Job failed, exit code 1")
    with pytest.raises(Refusal, match='job "prove page_views_per_minute v2" failed') as refused:
        EmrJobs(settings, failing).run(PROOF, "a task")
    assert refused.value.detail == "Job failed, exit code 1"
    assert settings.spark_log_group in refused.value.hint
    EmrJobs(settings, succeeding).run(PROOF, "a task")
    assert [run["state"] for run in runs(emr, application)] == ["FAILED", "SUCCESS"]
    tokens = {
        run.client_token for run in emrserverless_backends["123456789012"][REGION].job_runs[application]
    }
    assert len(tokens) == 3  # with that of long ago: EMR takes a token once


def test_task_that_is_tried_again_joins_the_job_that_runs(
    settings: Settings, emr: Any, application: str, succeeding: Ending
) -> None:
    def die(_seconds: float) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        EmrJobs(settings, die).run(PROOF, "a task")
    EmrJobs(settings, succeeding).run(PROOF, "a task")
    assert len(runs(emr, application)) == 1


def test_job_that_succeeded_while_nobody_looked_is_not_run_again_but_for_another_task(
    settings: Settings, emr: Any, application: str, succeeding: Ending
) -> None:
    EmrJobs(settings, succeeding).run(PROOF, "a task")
    EmrJobs(settings, succeeding).run(PROOF, "a task")
    assert len(runs(emr, application)) == 1
    EmrJobs(settings, succeeding).run(PROOF, "the task, cleared")
    assert len(runs(emr, application)) == 2


def test_job_that_is_ended_is_refused_and_nothing_else_ends(
    settings: Settings, emr: Any, application: str
) -> None:
    def stop(_seconds: float) -> None:
        EmrJobs(settings).stop("prove", "a task")
        EmrJobs(settings).stop("prove", "a task")  # it has ended already

    emr.start_job_run(
        applicationId=application,
        clientToken="x",
        executionRoleArn=settings.spark_roles["traffic"],
        name="traffic",
    )
    with pytest.raises(Refusal, match="cancelled"):
        EmrJobs(settings, stop).run(PROOF, "a task")
    assert {run["name"].split("-")[0]: run["state"] for run in runs(emr, application)} == {
        "prove": "CANCELLED",
        "traffic": "RUNNING",
    }


def test_who_waits_at_a_terminal_and_gives_up_ends_the_job(
    settings: Settings, emr: Any, application: str
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EmrJobs(settings, interrupt).run(PROOF, "a command")
    (run,) = runs(emr, application)
    assert run["state"] == "CANCELLED"


def test_command_runs_the_code_that_it_has_itself(
    settings: Settings, emr: Any, application: str, shelf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "SUCCESS")
    assert not jobs.run_here(settings)
    jobs.run(settings, "maintain", "--dry-run")
    jobs.run(settings, "maintain", "--dry-run")  # a wish of its own
    first, second = runs(emr, application)
    run = emr.get_job_run(applicationId=application, jobRunId=first["id"])["jobRun"]
    driver = run["jobDriver"]["sparkSubmit"]
    assert driver["entryPointArguments"] == ["maintain", "--dry-run"]
    bucket, _, name = driver["entryPoint"].removeprefix("s3://").partition("/")
    assert bucket == shelf.name
    assert b"from expectations.__main__ import main" in shelf.Object(name).get()["Body"].read()
    assert first["name"] != second["name"]
