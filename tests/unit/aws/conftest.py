"""AWS as moto plays it: in memory, without a network and without an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from headwater.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

REGION = "eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/headwater-test-app"
PROPERTIES = {
    "spark.driver.cores": "1",
    "spark.executor.cores": "2",
    "spark.executor.instances": "1",
    "spark.executor.memory": "6g",
}


@pytest.fixture(autouse=True)
def _aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    # moto's drivers have all succeeded as soon as they are started; ours never end
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "RUNNING")
    with mock_aws():
        yield


@pytest.fixture
def emr() -> Any:
    return boto3.client("emr-serverless")


@pytest.fixture
def application(emr: Any) -> str:
    most = {"cpu": "8 vCPU", "memory": "32 GB"}
    # moto knows no release with Spark 4; it runs none, either
    made = emr.create_application(name="test", releaseLabel="emr-6.6.0", type="SPARK", maximumCapacity=most)
    application = str(made["applicationId"])
    # moto lists nothing, not even an empty list, before a first driver; here is one of long ago
    ended = emr.start_job_run(applicationId=application, clientToken="old", executionRoleArn=ROLE, name="old")
    emr.cancel_job_run(applicationId=application, jobRunId=ended["jobRunId"])
    return application


@pytest.fixture
def settings(application: str) -> Settings:
    """Return settings as the environment aws gives them."""
    return Settings(
        instance="test",
        home="/tmp/headwater/test",
        secrets_file="secretsmanager:AmazonMSK_headwater-test/",
        kafka_bootstrap_servers="b-1.example:9096",
        kafka_security_protocol="SASL_SSL",
        kafka_sasl_mechanism="SCRAM-SHA-512",
        connect_url="",
        connect_capture_password="${secretsmanager:AmazonMSK_headwater-test/postgres.capture:password}",
        postgres_host="database.example",
        postgres_port=5432,
        warehouse="s3://headwater-test-warehouse",
        checkpoints="s3://headwater-test-checkpoints",
        artifacts="s3://headwater-test-artifacts",
        spark_master=f"emr-serverless://{application}",
        spark_rest_url=f"https://emr-serverless.{REGION}.amazonaws.com",
        spark_ui_url="https://console.example",
        spark_jars="s3://headwater-test-artifacts/runtime/jars",
        spark_app_properties=PROPERTIES,
        spark_roles={"traffic": f"{ROLE}-traffic", "replay": f"{ROLE}-replay"},
        spark_log_group="/headwater-test/spark",
        airflow_url="",
        notification_channels={"log": {}},
    )
