"""Asking a person: the standard approval, which a form can do without, and whose answer is said in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.providers.standard.exceptions import HITLRejectException
from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk.exceptions import AirflowSkipException
from telling import give_up, tell

if TYPE_CHECKING:
    from airflow.sdk import Context


class Approval(ApprovalOperator):
    """Ask a person to approve, unless the form says that nobody need be asked. No answer in time is a no."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(defaults=self.REJECT, fail_on_reject=True, **kwargs)

    def execute(self, context: Context) -> Any:
        """Ask, and wait without a process."""
        if not context["params"]["approval"]:
            raise AirflowSkipException("The form asked for no approval.")
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
