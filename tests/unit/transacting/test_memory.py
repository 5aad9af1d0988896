from __future__ import annotations

from datetime import timedelta

from headwater.transacting.memory import DAY, Memory

THIRTY_DAYS = timedelta(days=30)
TODAY = 20_000 * DAY


def test_what_was_added_is_known_and_nothing_else() -> None:
    memory = Memory(THIRTY_DAYS)
    memory.add("one", TODAY)
    assert "one" in memory
    assert "two" not in memory


def test_id_is_kept_for_the_whole_time_and_forgotten_after_it() -> None:
    memory = Memory(THIRTY_DAYS)
    memory.add("old", TODAY)
    memory.add("later", TODAY + 30 * DAY)
    assert "old" in memory
    memory.add("much later", TODAY + 32 * DAY)
    assert "old" not in memory
    assert len(memory) == 2


def test_topic_that_keeps_everything_forgets_nothing() -> None:
    memory = Memory(timedelta.max)
    memory.add("old", 0)
    memory.add("new", TODAY)
    assert "old" in memory
