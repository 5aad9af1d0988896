"""Erasing a person from Airflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headwater import erasure
from headwater.errors import Refusal
from headwater.people.showing import rows_of
from tests.end_to_end.looking import run_of, trigger, wait_for_run
from tests.people import new_person, register

if TYPE_CHECKING:
    from headwater.airflow_api import Airflow
    from headwater.settings import Settings

REASON = 'asked for it\'s "removal"; $(id) {{ 7 * 7 }} -- %s'
HOSTILE = ["../../etc/passwd", "'; DROP TABLE people; --", "$(id)", "{{ 7 * 7 }}", ""]


@pytest.mark.timeout(900)
def test_person_is_erased_and_the_run_says_so(instance: Settings, airflow: Airflow) -> None:
    person = new_person()
    register(instance, person)
    run = trigger(airflow, "erase", person=person.id, reason=REASON)
    wait_for_run(airflow, "erase", run, "success")
    assert f"**{person.id} is erased.**" in run_of(airflow, "erase", run)["note"]
    assert rows_of(instance, person.id) == {}
    kept = erasure.status(instance, person.id)
    assert kept
    assert kept["proved_at"] is not None
    assert kept["reason"] == REASON, "what a person wrote is data: no template, no shell, no SQL"


@pytest.mark.parametrize("nonsense", HOSTILE)
def test_nonsense_is_refused_at_the_door(airflow: Airflow, nonsense: str) -> None:
    with pytest.raises(Refusal, match="Airflow refused"):
        trigger(airflow, "erase", person=nonsense, reason="why")
