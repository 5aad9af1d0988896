"""Views of tables: refused unless they say which rows a change concerns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headwater.errors import Refusal
from spark_apps.views.order_details import VIEW


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"unit": ""}, "does not say which rows a change concerns"),
        ({"touches": {"order_changelog": "SELECT order_id FROM changed"}}, "which rows a change concerns"),
        ({"mode": "append"}, "is of tables alone"),
        ({"time": "ordered_at"}, "is of tables alone"),
        ({"tables": ()}, "reads nothing"),
    ],
)
def test_view_of_tables_that_is_not_whole_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        replace(VIEW, **changes)
