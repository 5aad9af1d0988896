"""Airflow's own interface, as far as we need it: notes that people read on its pages, and what they answer.

Airflow has no other way for a task to say something in rendered text than a note on the task or on its run,
and no other way to set one, or to look at an answer, than its public interface.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.settings import Settings

LONGEST_NOTE = 1000  # Airflow refuses a longer one
CONTINUED = "\n\n*… more of it in the log of the task.*"
TIMEOUT_SECONDS = 15
MWAA = "mwaa://"  # in place of an address, followed by what AWS calls the environment


def airflow_of(settings: Settings) -> Airflow:
    """Return the Airflow of an environment: the scheme of its address says which."""
    if settings.airflow_url.startswith(MWAA):
        from headwater.mwaa import Mwaa  # takes AWS's library along

        return Mwaa(settings)
    return Airflow(settings)


class Airflow:
    """Airflow, spoken to as its user `admin`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def note_on_task(self, dag: str, run: str, task: str, text: str) -> None:
        """Put a note (Markdown) on one task of a run, in place of the one before."""
        self.call("PATCH", f"{_place(dag, run)}/taskInstances/{task}", {"note": shortened(text)})

    def note_on_run(self, dag: str, run: str, text: str) -> None:
        """Put a note (Markdown) on a run, in place of the one before."""
        self.call("PATCH", _place(dag, run), {"note": shortened(text)})

    def answers(self, dag: str, run: str, task: str) -> list[dict[str, Any]]:
        """Return the question of a task with what a person has answered; nothing as long as nobody has."""
        place = f"{_place(dag, run)}/hitlDetails?task_id={quote(task)}&response_received=true"
        return list(self.call("GET", place)["hitl_details"])

    def paused(self) -> dict[str, bool]:
        """Return for each DAG that Airflow has read whether it is paused."""
        return {dag["dag_id"]: dag["is_paused"] for dag in self.call("GET", "dags?limit=100")["dags"]}

    def resume(self, dag: str) -> None:
        """Let a DAG run by its schedule."""
        self.call("PATCH", f"dags/{dag}?update_mask=is_paused", {"is_paused": False})

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask for `path` of the interface; a refusal carries Airflow's own words."""
        return self._send(method, f"api/v2/{path}", body, {"Authorization": f"Bearer {self._token}"})

    @cached_property
    def _token(self) -> str:
        who = {"username": "admin", "password": self._settings.secret("airflow.admin")}
        return str(self._send("POST", "auth/token", who)["access_token"])

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self._settings.airflow_url}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return dict(json.loads(answer.read() or b"{}"))
        except urllib.error.HTTPError as error:
            raise Refusal(f"Airflow refused {method} {path}", detail=_words(error)) from error
        except OSError as error:
            raise Refusal(
                "Airflow did not answer",
                detail=f"{self._settings.airflow_url}: {error}",
                hint="See whether the part `airflow` runs: `make status`.",
            ) from error


def shortened(text: str) -> str:
    """Cut a text to what a note may hold: at the end of a line, or of a word where the line is long."""
    if len(text) <= LONGEST_NOTE:
        return text
    held = text[: LONGEST_NOTE - len(CONTINUED)]
    lines, words = held.rpartition("\n")[0].rstrip(), held.rpartition(" ")[0]
    return (lines if len(lines) > len(held) // 2 else words or held) + CONTINUED


def _place(dag: str, run: str) -> str:
    """Return where a run is. Its id was chosen by whoever triggered it: whatever it holds, it is one step."""
    return f"dags/{dag}/dagRuns/{quote(run, safe='', errors='replace')}"


def _words(error: urllib.error.HTTPError) -> str:
    """Return what Airflow says went wrong, whatever shape it says it in."""
    answer = error.read().decode(errors="replace")
    try:
        return str(json.loads(answer)["detail"])
    except (ValueError, KeyError, TypeError):
        return answer or str(error)
