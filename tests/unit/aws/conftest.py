"""AWS as moto plays it: in memory, without a network and without an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from tests.aws_environment import REGION, make_application, make_bucket, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


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
    return make_application(emr)


@pytest.fixture
def settings(application: str) -> Settings:
    """Return settings as the environment aws gives them."""
    return settings_of(application)


@pytest.fixture
def shelf() -> Any:
    """Return the bucket that packed code is kept in."""
    return make_bucket(boto3.resource("s3"), "headwater-test-artifacts")
