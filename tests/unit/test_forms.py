from __future__ import annotations

from typing import Any

import pytest

from headwater.errors import Refusal
from headwater.forms import BatchRun, Deployment, Erasure, Form, Rollback, Views

VIEW = "page_views_per_minute"
NONSENSE = [
    "'; DROP TABLE views; --",
    '"',
    "$(id)",
    ";",
    "a\nb",
    "../../etc/passwd",
    "{{ 7 * 7 }}",
    "",
    "ü\0",
]


@pytest.mark.parametrize(
    ("form", "filled_in"),
    [
        (Deployment, {}),
        (Deployment, {"apps": ["traffic"], "action": "restart"}),
        (Rollback, {"view": VIEW}),
        (Rollback, {"view": VIEW, "version": "v2b2"}),
        (Erasure, {"person": "user-0001", "reason": "asked for it by letter, ticket 4711"}),
        (Views, {"views": None}),
        (Views, {"views": [VIEW]}),
        (BatchRun, {"views": [VIEW], "day": "2026-11-16"}),
        (BatchRun, {"day": None}),
    ],
)
def test_what_can_be_asked_is_accepted(form: type[Form], filled_in: dict[str, Any]) -> None:
    assert form.check(filled_in).model_dump(mode="json", exclude_unset=True) == filled_in


@pytest.mark.parametrize("nonsense", NONSENSE)
@pytest.mark.parametrize(
    ("form", "field"),
    [
        (Deployment, "action"),
        (Rollback, "view"),
        (Rollback, "version"),
        (Erasure, "person"),
        (BatchRun, "day"),
    ],
)
def test_nonsense_is_refused_with_the_name_of_its_field(form: type[Form], field: str, nonsense: str) -> None:
    with pytest.raises(Refusal) as refused:
        form.check({"view": VIEW, "action": "deploy", "reason": "why"} | {field: nonsense})
    assert f'"{field}": ' in refused.value.detail


@pytest.mark.parametrize("nonsense", NONSENSE)
@pytest.mark.parametrize(("form", "field"), [(Deployment, "apps"), (Views, "views")])
def test_nonsense_in_a_list_is_refused_with_its_place(form: type[Form], field: str, nonsense: str) -> None:
    with pytest.raises(Refusal) as refused:
        form.check({field: [nonsense]})
    assert f'"{field}.0": ' in refused.value.detail


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "x" * 201, "\0", 5])
def test_reason_is_one_line(reason: Any) -> None:
    with pytest.raises(Refusal) as refused:
        Erasure.check({"person": "user-0001", "reason": reason})
    assert '"reason": ' in refused.value.detail


def test_missing_and_surplus_fields_are_named() -> None:
    with pytest.raises(Refusal) as refused:
        Rollback.check({"veiw": VIEW})
    assert '"view" is missing.' in refused.value.detail
    assert '"veiw": ' in refused.value.detail


def test_long_nonsense_is_not_repeated_in_full() -> None:
    with pytest.raises(Refusal) as refused:
        Rollback.check({"view": "x" * 10_000})
    assert len(refused.value.detail) < 1000
