"""What looks after apps and rows, done by Airflow itself: deploy, supervise, check."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater import apps
from headwater.engines import Standalone
from tests.cluster.looking import APP, driver_of
from tests.end_to_end.looking import notes_of_runs, run_of, trigger, wait_for_answer, wait_for_run
from tests.fixed_code import VIEW
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.airflow_api import Airflow
    from headwater.settings import Settings


def test_deploying_again_leaves_the_driver_alone_and_restarting_replaces_it(
    instance: Settings, app: str, airflow: Airflow
) -> None:
    before = driver_of(instance)
    for action, words in (("deploy", "already runs what it should"), ("restart", f'app "{APP}" is stopped')):
        assert driver_of(instance) == before
        run = trigger(airflow, "deploy", apps=[APP], action=action)
        wait_for_run(airflow, "deploy", run, "success")
        assert words in run_of(airflow, "deploy", run)["note"]
    apps.wait_until_alive(instance, APP)
    assert driver_of(instance) != before


def test_minute_of_supervision_starts_a_driver_that_is_gone(
    instance: Settings, app: str, airflow: Airflow
) -> None:
    engine, before = Standalone(instance), driver_of(instance)
    engine.kill(before)
    wait_for("the end of the driver", lambda: not engine.running(before))
    with on_schedule(airflow, "supervise"):
        wait_for("another driver", lambda: driver_of(instance) != before)
        # Whichever run it was: the schedule has runs of its own.
        said = f'app "{APP}": submit'
        wait_for_answer("its word", lambda: any(said in note for note in notes_of_runs(airflow, "supervise")))
    apps.wait_until_alive(instance, APP)


def test_rows_of_a_live_view_are_checked(instance: Settings, app: str, airflow: Airflow) -> None:
    with on_schedule(airflow, "data_quality"):  # every hour; somebody who does not want to wait asks for it
        run = trigger(airflow, "data_quality", views=[VIEW])
        wait_for_run(airflow, "data_quality", run, "success")
    note = run_of(airflow, "data_quality", run)["note"]
    assert "checks hold" in note
    assert f"{VIEW} v" in note


@contextmanager
def on_schedule(airflow: Airflow, dag: str) -> Iterator[None]:
    """Let a DAG run by its schedule for a while."""
    airflow.resume(dag)
    try:
        yield
    finally:
        airflow.call("PATCH", f"dags/{dag}?update_mask=is_paused", {"is_paused": True})
