"""MSK Connect: a worker of AWS without a REST interface. It only tells how its connector is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from headwater.capture.worker import ConnectSilent, State, Worker
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping


class MskConnect(Worker):
    """A connector of MSK Connect, named by its ARN; there is none before there are tables to follow."""

    def state(self, name: str) -> State | None:
        """Return how the connector is: AWS says one word for all of it."""
        if not self._url:
            return None
        try:
            word = boto3.client("kafkaconnect").describe_connector(connectorArn=self._url)["connectorState"]
        except (ClientError, BotoCoreError) as error:
            raise ConnectSilent(f'MSK Connect did not tell how "{name}" is', detail=str(error)) from error
        return State(connector=word, tasks=(word,))

    def _ask(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        raise Refusal(
            "MSK Connect takes no orders from here",
            detail=f"It has no REST interface for {method} {path}.",
            hint="Change its connector with Terraform, in infra/environments/aws.",
        )
