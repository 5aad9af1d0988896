"""What the cluster is asked for."""

from __future__ import annotations

import pytest

from headwater.engines.standalone import _megabytes


@pytest.mark.parametrize(("written", "megabytes"), [("768m", 768), ("1g", 1024), ("2G", 2048)])
def test_sizes_are_read_as_spark_writes_them(written: str, megabytes: int) -> None:
    assert _megabytes(written) == megabytes
