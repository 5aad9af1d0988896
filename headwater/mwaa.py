"""MWAA: the Airflow of AWS, whose interface knows its callers by AWS's signature, not by a password."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from headwater.airflow_api import MWAA, Airflow
from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.settings import Settings


class Mwaa(Airflow):
    """Airflow, spoken to through AWS."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._environment = settings.airflow_url.removeprefix(MWAA)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Have AWS ask for `path` of the interface; a refusal carries Airflow's own words."""
        place, _, query = path.partition("?")
        request = {"QueryParameters": dict(parse_qsl(query)), "Body": body}
        try:
            answer = self._client.invoke_rest_api(
                Name=self._environment,
                Path=f"/{place}",
                Method=method,
                **{name: value for name, value in request.items() if value},
            )
        except ClientError as error:
            said = error.response.get("RestApiResponse") or {}
            raise Refusal(
                f"Airflow refused {method} {place}", detail=str(said.get("detail") or error)
            ) from error
        except BotoCoreError as error:
            raise Refusal("Airflow did not answer", detail=f"{self._environment}: {error}") from error
        return dict(answer.get("RestApiResponse") or {})

    @cached_property
    def _client(self) -> Any:
        return boto3.client("mwaa")
