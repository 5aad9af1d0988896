"""What EMR Serverless takes in a request: AWS describes it, and neither botocore nor moto looks at that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from headwater.engines import Submission
from headwater.engines.emr_jobs import EmrJobs
from headwater.engines.emr_serverless import EmrServerless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

SUBMISSION = Submission(
    name="traffic",
    artifact="s3://headwater-test-artifacts/packed/0a1b2c3d4e5f6071.zip",
    arguments=("stream", "traffic"),
)


@pytest.fixture(params=[EmrServerless, EmrJobs])
def sent(request: pytest.FixtureRequest, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what is asked for an app, or for a job, and how AWS describes that."""
    monkeypatch.setattr("moto.emrserverless.models.JOB_STATUS", "SUCCESS")
    engine, sent = request.param(settings), []
    client = engine._application.client
    client.meta.events.register(
        "provide-client-params.emr-serverless.StartJobRun", lambda params, **_: sent.append(params)
    )
    if isinstance(engine, EmrJobs):
        engine.run(SUBMISSION, "a task")
    else:
        engine.submit(SUBMISSION)
    return client.meta.service_model.operation_model("StartJobRun").input_shape, sent[0]


def test_all_that_is_asked_is_within_what_aws_takes(sent: Any) -> None:
    assert list(beyond(*sent, "request")) == []


def beyond(shape: Any, value: Any, where: str) -> Iterator[str]:
    """Tell what in a value is longer, or more, than its description allows."""
    size = value if isinstance(value, int) else len(value)
    if size > shape.metadata.get("max", size):
        yield f"{where} is {size}, and may be {shape.metadata['max']}"
    match shape.type_name:
        case "structure":
            for name, part in value.items():
                yield from beyond(shape.members[name], part, f"{where}.{name}")
        case "map":
            for name, part in value.items():
                yield from beyond(shape.key, name, f"{where}: {name}")
                yield from beyond(shape.value, part, f"{where}.{name}")
        case "list":
            for part in value:
                yield from beyond(shape.member, part, f"{where}[]")
