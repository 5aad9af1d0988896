"""What a version is called."""

from __future__ import annotations

import pytest

from headwater import names


@pytest.mark.parametrize(("version", "build", "label"), [(1, 1, "v1"), (12, 1, "v12"), (2, 3, "v2b3")])
def test_names_can_be_read_back(version: int, build: int, label: str) -> None:
    assert names.label(version, build) == label
    read = names.QUERY.fullmatch(names.query("orders", label))
    assert read is not None
    assert (read[1], int(read[3]), int(read[4] or 1)) == ("orders", version, build)


@pytest.mark.parametrize(
    "text", ["orders", "orders.v", "orders.v0", "orders.v1b0", "orders.v1.late", "a b.v1", ""]
)
def test_what_names_no_query(text: str) -> None:
    assert names.QUERY.fullmatch(text) is None
