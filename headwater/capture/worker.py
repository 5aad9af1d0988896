"""Talking to Connect: its REST interface, in the few words that are needed here."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.settings import Settings

TIMEOUT_SECONDS = 30


class ConnectSilent(Refusal):
    """Connect does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a connector is: RUNNING, PAUSED, STOPPED, FAILED, UNASSIGNED; and why, if it failed."""

    connector: str
    tasks: tuple[str, ...]
    trace: str = ""

    @property
    def running(self) -> bool:
        """Whether all of it runs."""
        return self.connector == "RUNNING" and set(self.tasks) == {"RUNNING"}


class Worker:
    """A client of one Connect cluster."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.connect_url

    def config(self, name: str) -> dict[str, str] | None:
        """Return the configuration of a connector; None if there is none of that name."""
        found = self._find(f"connectors/{name}/config")
        return None if found is None else dict(found)

    def configure(self, name: str, config: Mapping[str, str]) -> None:
        """Make a connector, or change it."""
        try:
            self._ask("PUT", f"connectors/{name}/config", config)
        except urllib.error.HTTPError as error:
            detail = json.loads(error.read() or b"{}").get("message", str(error))
            raise Refusal(f'Connect refused the connector "{name}"', detail=detail) from error

    def state(self, name: str) -> State | None:
        """Return how a connector is; None if there is none."""
        found = self._find(f"connectors/{name}/status")
        if found is None:
            return None
        parts = [found["connector"], *found["tasks"]]
        return State(
            connector=found["connector"]["state"],
            tasks=tuple(task["state"] for task in found["tasks"]),
            trace=next((part["trace"] for part in parts if part.get("trace")), ""),
        )

    def restart(self, name: str) -> None:
        """Start what has failed again."""
        self._ask("POST", f"connectors/{name}/restart?includeTasks=true&onlyFailed=true")

    def stop(self, name: str) -> None:
        """Let a connector rest: its tasks end, its place in the database's log stays."""
        self._ask("PUT", f"connectors/{name}/stop")

    def resume(self, name: str) -> None:
        """Let a connector go on that rests."""
        self._ask("PUT", f"connectors/{name}/resume")

    def forget(self, name: str) -> None:
        """Forget the place up to which a connector has read, which must rest: it then begins anew."""
        self._ask("DELETE", f"connectors/{name}/offsets")

    def remove(self, name: str) -> None:
        """Remove a connector."""
        self._ask("DELETE", f"connectors/{name}")

    def _find(self, path: str) -> Any:
        try:
            return self._ask("GET", path)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def _ask(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self._url}/{path}",
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            raise ConnectSilent(
                "Connect did not answer",
                detail=str(error),
                hint="See whether the part `connect` runs: `make status`.",
            ) from error


def worker_of(settings: Settings) -> Worker:
    """Return the worker of an environment: Connect's own where it has an address, else that of AWS."""
    if settings.connect_url.startswith("http"):
        return Worker(settings)
    from headwater.capture.msk_connect import MskConnect  # takes AWS's library along

    return MskConnect(settings)
