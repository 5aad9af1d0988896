"""Drivers on EMR Serverless, as moto plays it: what it is asked for, and that asking twice starts one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from headwater.engines import ClusterSilent, Standalone, Submission, engine_of
from headwater.engines.emr_serverless import EmrServerless
from headwater.errors import Refusal
from headwater.settings import Settings
from tests.aws_environment import runs

SUBMISSION = Submission(
    name="traffic", artifact="s3://headwater-test-artifacts/0a1b.zip", arguments=("stream", "traffic", "0a1b")
)


@pytest.fixture
def engine(settings: Settings) -> EmrServerless:
    return EmrServerless(settings)


@pytest.fixture
def sent(engine: EmrServerless) -> list[dict[str, Any]]:
    """Keep what was sent to start drivers: moto forgets some of it."""
    requests: list[dict[str, Any]] = []
    engine._application.client.meta.events.register(
        "provide-client-params.emr-serverless.StartJobRun", lambda params, **_: requests.append(params)
    )
    return requests


def test_master_chooses_the_engine(settings: Settings) -> None:
    assert isinstance(engine_of(settings), EmrServerless)
    assert isinstance(engine_of(replace(settings, spark_master="spark://127.0.0.1:7077")), Standalone)
    with pytest.raises(Refusal, match='no engine "yarn"'):
        engine_of(replace(settings, spark_master="yarn://cluster"))


def test_driver_runs_until_it_is_killed(engine: EmrServerless) -> None:
    driver = engine.submit(SUBMISSION)
    assert engine.running(driver)
    engine.kill(driver)
    assert not engine.running(driver)
    engine.kill(driver)  # it has ended already


def test_driver_that_nobody_submitted_does_not_run(engine: EmrServerless) -> None:
    assert not engine.running("traffic-0000000000000000")


def test_driver_waits_until_emr_has_room(engine: EmrServerless, monkeypatch: pytest.MonkeyPatch) -> None:
    running = engine.submit(SUBMISSION)
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "SCHEDULED")
    waiting = engine.submit(replace(SUBMISSION, name="insights"))
    assert (engine.queued(running), engine.queued(waiting)) == (False, True)
    assert engine.running(waiting)


def test_drivers_are_those_that_have_not_ended(engine: EmrServerless) -> None:
    first = engine.submit(SUBMISSION)
    second = engine.submit(replace(SUBMISSION, name="insights"))
    assert engine.drivers() == {first, second}
    engine.kill(first)
    assert engine.drivers() == {second}


def test_driver_gets_code_arguments_properties_and_log(
    engine: EmrServerless, settings: Settings, emr: Any, application: str
) -> None:
    engine.submit(SUBMISSION)
    (run,) = runs(emr, application)
    job = emr.get_job_run(applicationId=application, jobRunId=run["id"])["jobRun"]
    spark = job["jobDriver"]["sparkSubmit"]
    assert spark["entryPoint"] == "s3://headwater-test-artifacts/0a1b.py"
    assert spark["entryPointArguments"] == ["stream", "traffic", "0a1b"]
    (configuration,) = job["configurationOverrides"]["applicationConfiguration"]
    properties = configuration["properties"]
    assert properties.items() >= settings.spark_app_properties.items()
    assert properties["spark.submit.pyFiles"] == SUBMISSION.artifact
    log = job["configurationOverrides"]["monitoringConfiguration"]["cloudWatchLoggingConfiguration"]
    assert log == {
        "enabled": True,
        "logGroupName": "/headwater-test/spark",
        "logStreamNamePrefix": "traffic",
    }


def test_driver_is_told_where_everything_is_and_what_it_is_called(
    engine: EmrServerless,
    settings: Settings,
    sent: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver = engine.submit(SUBMISSION)
    (configuration,) = sent[0]["configurationOverrides"]["applicationConfiguration"]
    told = {name.split(".")[-1]: value for name, value in configuration["properties"].items()}
    assert told["HEADWATER_DRIVER"] == driver
    parameters = sent[0]["jobDriver"]["sparkSubmit"]["sparkSubmitParameters"]
    variable, _, value = parameters.removeprefix("--conf spark.emr-serverless.driverEnv.").partition("=")
    monkeypatch.setenv(variable, value)
    assert Settings.load() == settings


def test_failed_driver_is_started_again_by_emr(engine: EmrServerless, sent: list[dict[str, Any]]) -> None:
    engine.submit(SUBMISSION)
    assert sent[0]["mode"] == "STREAMING"
    assert sent[0]["retryPolicy"] == {"maxFailedAttemptsPerHour": 10}


def test_app_has_its_own_role_and_a_version_that_of_replays(
    engine: EmrServerless, sent: list[dict[str, Any]]
) -> None:
    engine.submit(SUBMISSION)
    engine.submit(replace(SUBMISSION, name="page_views_per_minute.v2"))
    assert [request["executionRoleArn"].rsplit("-", 1)[1] for request in sent] == ["traffic", "replay"]


def test_live_version_apart_that_writes_topics_has_the_role_of_its_group(
    engine: EmrServerless, sent: list[dict[str, Any]]
) -> None:
    engine.submit(replace(SUBMISSION, name="page_views_per_minute.v2", group="traffic"))
    assert sent[0]["executionRoleArn"].endswith("-traffic")


def test_submission_that_was_never_written_down_is_found_not_repeated(
    engine: EmrServerless, settings: Settings, emr: Any, application: str
) -> None:
    driver = engine.submit(SUBMISSION)
    assert EmrServerless(settings).submit(SUBMISSION) == driver  # whoever sent the first has died
    assert len(runs(emr, application)) == 1


def test_same_submission_carries_the_same_token(engine: EmrServerless, sent: list[dict[str, Any]]) -> None:
    driver = engine.submit(SUBMISSION)
    assert driver == f"traffic-{sent[0]['clientToken']}"  # EMR takes a token once, should two send at a time


def test_restart_is_a_driver_of_its_own(engine: EmrServerless, emr: Any, application: str) -> None:
    first = engine.submit(SUBMISSION)
    engine.kill(first)
    second = engine.submit(replace(SUBMISSION, after=first))
    assert second != first
    assert engine.running(second)
    assert not engine.running(first)


def test_driver_that_emr_gave_up_does_not_run_and_is_not_found_again(
    engine: EmrServerless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "FAILED")
    failed = engine.submit(SUBMISSION)
    assert not engine.running(failed)
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "RUNNING")
    assert engine.running(engine.submit(replace(SUBMISSION, after=failed)))


def test_driver_on_a_later_page_is_found(engine: EmrServerless, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {None: ({"name": "a", "id": "1"}, "more"), "more": ({"name": "b", "id": "2"}, None)}

    def page(_what: str, nextToken: str | None = None, **_: Any) -> dict[str, Any]:
        run, following = pages[nextToken]
        return {"jobRuns": [run], "nextToken": following}

    monkeypatch.setattr(engine._application, "ask", page)
    assert engine.running("b")


def test_room_is_what_running_apps_leave(engine: EmrServerless) -> None:
    assert engine.room() == ""  # 3 processors of 8
    engine.submit(SUBMISSION)
    engine.submit(replace(SUBMISSION, name="insights"))
    assert "an app takes 3 processors; 2 of 8 are free" in engine.room()


def test_application_that_is_gone_is_a_silent_cluster(settings: Settings) -> None:
    lost = EmrServerless(replace(settings, spark_master="emr-serverless://00gone"))
    with pytest.raises(ClusterSilent, match='does not know the application "00gone"'):
        lost.workers()


def test_application_that_was_ended_runs_no_driver(engine: EmrServerless, emr: Any, application: str) -> None:
    assert engine.workers() == 1
    emr.stop_application(applicationId=application)
    emr.delete_application(applicationId=application)
    assert engine.workers() == 0
    with pytest.raises(Refusal, match="refused `start_job_run`"):
        engine.submit(SUBMISSION)


def test_aws_that_does_not_answer_is_a_silent_cluster(
    engine: EmrServerless, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://emr-serverless.eu-central-1.amazonaws.com")

    monkeypatch.setattr(engine._application.client, "_make_api_call", unreachable)
    with pytest.raises(ClusterSilent, match="did not answer"):
        engine.running("traffic-0")
