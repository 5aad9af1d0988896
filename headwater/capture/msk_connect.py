"""MSK Connect: a worker without a REST interface. AWS tells how its connector is, and starts it again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from headwater.capture.worker import ConnectSilent, State, Worker
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = "FAILED"
ADDRESS = "module.cdc.aws_mskconnect_connector.this[0]"  # what Terraform calls it
UNSAID = "MSK Connect does not say why; its log group does."


class MskConnect(Worker):
    """A connector of MSK Connect, named by its ARN; there is none before there are tables to follow."""

    def state(self, name: str) -> State | None:
        """Return how the connector is: AWS says one word for all of it, and of a failed one why."""
        if not self._url:
            return None
        try:
            found = self._client.describe_connector(connectorArn=self._url)
        except (ClientError, BotoCoreError) as error:
            raise ConnectSilent(f'MSK Connect did not tell how "{name}" is', detail=str(error)) from error
        word = found["connectorState"]
        why = found.get("stateDescription", {}).get("message") or UNSAID
        return State(connector=word, tasks=(word,), trace=why if word == FAILED else "")

    def restart(self, name: str) -> None:
        """Have AWS start the connector again, with all that it runs."""
        try:
            self._client.restart_connector(connectorArn=self._url)
        except (ClientError, BotoCoreError, AttributeError) as error:  # an old boto3 does not know the word
            raise Refusal(
                f'MSK Connect did not start "{name}" again',
                detail=str(error),
                hint=f"Make it anew: `terraform apply -replace='{ADDRESS}'`.",
            ) from error

    def _ask(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        raise Refusal(
            "MSK Connect takes no orders from here",
            detail=f"It has no REST interface for {method} {path}.",
            hint="Change its connector with Terraform, in infra/environments/aws.",
        )

    @cached_property
    def _client(self) -> Any:
        return boto3.client("kafkaconnect")
