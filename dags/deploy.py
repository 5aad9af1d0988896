"""Deploy, restart or stop streaming apps.

**deploy** packs the code once, refuses a view whose logic changed without a higher `version`, brings
topics in step with their files, and makes apps run the new code; an app that already does is left alone.
**restart** starts apps again with the code they have. **stop** ends apps between two batches, and they
stay stopped until deployed again.

Asking twice never starts two drivers: tasks may be cleared and tried again. New logic of a view does not
reach its readers this way: that is what `replay` is for.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from telling import form, in_words, refusing, tell

from headwater import declared

FORM = {
    "apps": Param(
        None,
        type=["null", "array"],
        title="Apps",
        items={"type": "string", "enum": declared.apps()},
        examples=declared.apps(),
        uniqueItems=True,
        description_md="None chosen means all.",
    ),
    "action": Param(
        "deploy",
        type="string",
        title="Action",
        enum=["deploy", "restart", "stop"],
        description_md="What to do with them.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule=None,
    max_active_runs=1,
    tags=["headwater", "apps"],
    default_args={"owner": "headwater", "retries": 2, "retry_delay": timedelta(seconds=10)},
    params=FORM,
)
def deploy() -> None:
    """Wire the steps of a deployment."""
    request: Any = validate()
    check_code(request) >> bring_topics_in_step(request) >> change(request)


@task
@refusing
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.forms import Deployment

    return Deployment.check(form()).model_dump(mode="json")


@task
@refusing
def check_code(request: dict[str, Any]) -> None:
    """Refuse code that could not be deployed, while nothing has been changed for it."""
    from headwater import apps
    from headwater.settings import Settings

    if request["action"] == "deploy":
        apps.check(Settings.load(), request["apps"] or ())


@task
@in_words
def bring_topics_in_step(request: dict[str, Any]) -> None:
    """Make the topics and access that the files declare; report what differs, and alter nothing."""
    from headwater.settings import Settings
    from headwater.topics import load_topics
    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    settings = Settings.load()
    planned = plan(settings, load_topics())
    if request["action"] == "deploy":
        apply(settings, planned)
    tell("\n".join(f"- {line}" for line in planned.lines()))


@task
@in_words
def change(request: dict[str, Any]) -> None:
    """Say in the registry what should run, and take the steps of `supervise` until it does."""
    from headwater import apps
    from headwater.settings import Settings

    said: list[str] = []
    actions = {"deploy": apps.deploy, "restart": apps.restart, "stop": apps.stop}
    actions[request["action"]](Settings.load(), request["apps"] or (), report=said.append)
    tell("\n".join(f"- {sentence}" for sentence in said), on_run=True)


deploy()
