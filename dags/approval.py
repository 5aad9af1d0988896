"""Asking a person: the standard approval, which a form can do without, and whose answer is said in words."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any

from airflow.providers.standard.exceptions import HITLRejectException
from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk.exceptions import AirflowSkipException
from telling import give_up, tell

if TYPE_CHECKING:
    from airflow.sdk import Context

log = logging.getLogger("headwater")


class Approval(ApprovalOperator):
    """Ask a person to approve, unless the form says that nobody need be asked. No answer in time is a no."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(defaults=self.REJECT, fail_on_reject=True, **kwargs)

    def execute(self, context: Context) -> Any:
        """Ask, and wait without a process."""
        if not context["params"]["approval"]:
            raise AirflowSkipException("The form asked for no approval.")
        if answer := self._answered(context):
            return self.execute_complete(context, answer)
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Take the answer; a no is final, however often the task may be tried again for other reasons."""
        who = (event.get("responded_by_user") or {}).get("name")
        try:
            answer = super().execute_complete(context, event)
        except HITLRejectException:
            words = f"{who} rejected it" if who else f"nobody approved it within {self.response_timeout}"
            tell(f"**{words}**", on_run=True)
            give_up(words)
        tell(f"Approved by {who}.")
        return answer

    def _answered(self, context: Context) -> dict[str, Any] | None:
        """Return the answer that an earlier try was given and did not come to take.

        Airflow takes a task that is answered within a moment for one that has failed, and tries it again
        (https://github.com/apache/airflow/issues/72716); asking again would forget the answer. Who clears the
        task wants to be asked again, and who sees another proof must be.
        """
        from headwater.airflow_api import airflow_of
        from headwater.errors import Refusal
        from headwater.settings import Settings

        task = context["ti"]
        if task.try_number <= task.max_tries - (self.retries or 0) + 1:  # the first since it was cleared
            return None
        try:
            answers = airflow_of(Settings.load()).answers(task.dag_id, task.run_id, task.task_id)
        except Refusal as refusal:
            log.warning("it could not be seen whether this was answered before: %s", refusal)
            return None
        for answer in answers:
            if (answer["subject"], answer["body"]) == (self.subject, self.body):
                return answer | {"responded_at": datetime.fromisoformat(answer["responded_at"])}
        return None
