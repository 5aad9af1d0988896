"""MWAA, which moto does not play: botocore checks what is asked, and answers as AWS documents it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from botocore.stub import Stubber

from headwater.airflow_api import Airflow, airflow_of
from headwater.errors import Refusal
from headwater.mwaa import Mwaa

if TYPE_CHECKING:
    from headwater.settings import Settings

RUN = "manual__2026-11-18T00:00:00+00:00"


@pytest.fixture
def airflow(settings: Settings) -> Mwaa:
    airflow = airflow_of(settings)
    assert isinstance(airflow, Mwaa)
    return airflow


@pytest.fixture
def aws(airflow: Mwaa) -> Stubber:
    stubber = Stubber(airflow._client)
    stubber.activate()
    return stubber


def test_airflow_with_an_address_is_asked_itself(settings: Settings) -> None:
    assert type(airflow_of(replace(settings, airflow_url="http://127.0.0.1:8080"))) is Airflow


def test_note_goes_to_the_page_of_the_task(airflow: Mwaa, aws: Stubber) -> None:
    asked = {
        "Name": "headwater-test",
        "Path": "/dags/replay/dagRuns/manual__2026-11-18T00%3A00%3A00%2B00%3A00/taskInstances/plan",
        "Method": "PATCH",
        "Body": {"note": "**It will be read**"},
    }
    aws.add_response("invoke_rest_api", {"RestApiStatusCode": 200, "RestApiResponse": {}}, asked)
    airflow.note_on_task("replay", RUN, "plan", "**It will be read**")
    aws.assert_no_pending_responses()


def test_answer_is_what_airflow_says(airflow: Mwaa, aws: Stubber) -> None:
    said = {"dags": [{"dag_id": "supervise", "is_paused": True}]}
    asked = {
        "Name": "headwater-test",
        "Path": "/dags",
        "Method": "GET",
        "QueryParameters": {"limit": "100"},
    }
    aws.add_response("invoke_rest_api", {"RestApiStatusCode": 200, "RestApiResponse": said}, asked)
    assert airflow.paused() == {"supervise": True}


def test_refusal_carries_airflows_own_words(airflow: Mwaa, aws: Stubber) -> None:
    aws.add_client_error(
        "invoke_rest_api",
        "RestApiClientException",
        modeled_fields={"RestApiStatusCode": 404, "RestApiResponse": {"detail": "no such DAG"}},
    )
    with pytest.raises(Refusal, match="Airflow refused PATCH dags/nonsense") as refused:
        airflow.resume("nonsense")
    assert refused.value.detail == "no such DAG"
