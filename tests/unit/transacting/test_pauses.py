from __future__ import annotations

from headwater.transacting.pauses import Pauses


def test_pauses_grow_up_to_a_minute_and_begin_anew_after_a_success() -> None:
    pauses = Pauses()
    assert [pauses.longer() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    pauses.reset()
    assert pauses.longer() == 1
