"""The environment `aws`, where moto plays AWS: an application, and settings as its outputs tell them."""

from __future__ import annotations

from typing import Any

from headwater.settings import Settings

REGION = "eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/headwater-test-app"
PROPERTIES = {
    "spark.driver.cores": "1",
    "spark.executor.cores": "2",
    "spark.executor.instances": "1",
    "spark.executor.memory": "6g",
}
ROLES = ("traffic", "replay", "maintain", "jobs")


def make_application(emr: Any) -> str:
    """Make an application of EMR Serverless and return its id."""
    most = {"cpu": "8 vCPU", "memory": "32 GB"}
    # moto knows no release with Spark 4; it runs none, either
    made = emr.create_application(name="test", releaseLabel="emr-6.6.0", type="SPARK", maximumCapacity=most)
    application = str(made["applicationId"])
    # moto lists nothing, not even an empty list, before a first driver; here is one of long ago
    ended = emr.start_job_run(applicationId=application, clientToken="old", executionRoleArn=ROLE, name="old")
    emr.cancel_job_run(applicationId=application, jobRunId=ended["jobRunId"])
    return application


def make_bucket(s3: Any, name: str) -> Any:
    """Make a bucket in the region of the environment."""
    bucket = s3.Bucket(name)
    bucket.create(CreateBucketConfiguration={"LocationConstraint": REGION})
    return bucket


def runs(emr: Any, application: str) -> list[dict[str, Any]]:
    """Return what was started in the application."""
    return [run for run in emr.list_job_runs(applicationId=application)["jobRuns"] if run["name"] != "old"]


def settings_of(application: str) -> Settings:
    """Return settings as the environment gives them."""
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
        postgres_sslmode="require",
        warehouse="s3://headwater-test-warehouse",
        glue_database="headwater_test_views",
        checkpoints="s3://headwater-test-checkpoints",
        artifacts="s3://headwater-test-artifacts/packed",
        spark_master=f"emr-serverless://{application}",
        spark_rest_url=f"https://emr-serverless.{REGION}.amazonaws.com",
        spark_ui_url="https://console.example",
        spark_jars="s3://headwater-test-artifacts/runtime/jars",
        spark_app_properties=PROPERTIES,
        spark_roles={role: f"{ROLE}-{role}" for role in ROLES},
        spark_log_group="/headwater-test/spark",
        airflow_url="mwaa://headwater-test",
        notification_channels={"log": {}},
    )
