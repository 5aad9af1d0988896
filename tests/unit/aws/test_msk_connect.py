"""MSK Connect, which moto does not play: botocore checks what is asked, and answers as AWS documents it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.stub import Stubber

from headwater.capture import msk_connect, watching
from headwater.capture.msk_connect import MskConnect
from headwater.capture.slot import Slot
from headwater.capture.watching import troubles
from headwater.capture.worker import ConnectSilent, Worker, worker_of
from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.settings import Settings

KEPT = Slot(active=True, status="reserved", kept=0)
ARN = "arn:aws:kafkaconnect:eu-central-1:123456789012:connector/headwater-test-capture/0a1b2c3d-0000-1"


@pytest.fixture
def worker(settings: Settings) -> Worker:
    return worker_of(replace(settings, connect_url=ARN))


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Stubber:
    client = boto3.client("kafkaconnect")
    monkeypatch.setattr(msk_connect.boto3, "client", lambda _name: client)
    stubber = Stubber(client)
    stubber.activate()
    return stubber


def answer(aws: Stubber, state: str, why: str = "") -> None:
    said: dict[str, Any] = {"connectorArn": ARN, "connectorState": state}
    if why:
        said["stateDescription"] = {"code": "UnknownError.Unknown", "message": why}
    aws.add_response("describe_connector", said, {"connectorArn": ARN})


def test_connector_that_runs_is_no_trouble_and_one_that_failed_is(worker: Worker, aws: Stubber) -> None:
    answer(aws, "RUNNING")
    running = worker.state("shop")
    assert running is not None
    assert running.running
    answer(aws, "FAILED", "Connection to database.example refused")
    failed = worker.state("shop")
    assert failed is not None
    assert not failed.running
    (trouble,) = troubles(failed, KEPT)
    assert (trouble.kind, trouble.restart) == ("capture failed", True)
    assert "Connection to database.example refused" in trouble.message


def test_connector_that_failed_without_a_word_is_started_again_and_one_that_is_paused_is_not(
    worker: Worker, aws: Stubber
) -> None:
    answer(aws, "FAILED")
    answer(aws, "PAUSED")
    found = [troubles(worker.state("shop"), KEPT) for _ in range(2)]
    assert [(trouble.kind, trouble.restart) for (trouble,) in found] == [
        ("capture failed", True),
        ("capture down", False),
    ]


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep what would go to the registry and to Kafka; the slot is in order."""
    raised: list[str] = []
    monkeypatch.setattr(watching.shop_database, "connect", lambda *_: nullcontext())
    monkeypatch.setattr(watching, "slot", lambda *_: KEPT)
    monkeypatch.setattr(watching.alarms, "raise_alarm", lambda _, *words: raised.append(" ".join(words[1:3])))
    monkeypatch.setattr(watching.alarms, "clear_all_but", lambda *_: None)
    return raised


def test_failed_connector_is_started_again_and_told(
    settings: Settings, aws: Stubber, raised: list[str]
) -> None:
    answer(aws, "FAILED", "Connection refused")
    aws.add_response("restart_connector", {"connectorArn": ARN}, {"connectorArn": ARN})
    watching.look_after(replace(settings, connect_url=ARN))
    aws.assert_no_pending_responses()
    assert raised == ["capture failed Connection refused"]


def test_connector_that_aws_does_not_start_again_is_told_with_the_way_to_make_it_anew(
    settings: Settings, aws: Stubber, raised: list[str]
) -> None:
    answer(aws, "FAILED", "Connection refused")
    aws.add_client_error("restart_connector", "BadRequestException")
    watching.look_after(replace(settings, connect_url=ARN))
    assert [words.split()[1] for words in raised] == ["failed", "down"]
    assert "terraform apply -replace" in raised[1]


def test_library_that_cannot_start_a_connector_again_is_a_refusal(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The boto3 of MWAA is older than ours."""
    monkeypatch.setattr(msk_connect.boto3, "client", lambda _name: object())
    with pytest.raises(Refusal, match='did not start "shop" again') as refused:
        worker.restart("shop")
    assert "terraform apply -replace" in refused.value.hint


def test_before_there_is_a_connector_there_is_none(settings: Settings) -> None:
    worker = worker_of(replace(settings, connect_url=""))
    assert isinstance(worker, MskConnect)
    assert worker.state("shop") is None
    assert [trouble.kind for trouble in troubles(None, None)] == ["capture down"]


def test_aws_that_refuses_is_a_silent_worker(worker: Worker, aws: Stubber) -> None:
    aws.add_client_error("describe_connector", "ForbiddenException")
    with pytest.raises(ConnectSilent, match='did not tell how "shop" is'):
        worker.state("shop")


def test_orders_are_refused_with_the_way_to_give_them(worker: Worker) -> None:
    with pytest.raises(Refusal, match="takes no orders from here") as refused:
        worker.stop("shop")
    assert "Terraform" in refused.value.hint


def test_connect_with_an_address_is_asked_itself(settings: Settings) -> None:
    assert type(worker_of(replace(settings, connect_url="http://127.0.0.1:8083"))) is Worker
