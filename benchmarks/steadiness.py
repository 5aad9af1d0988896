"""Whether everything kept pace: what a soak has seen, judged.

Pure: looks in, faults in words out. What nobody knows is no good news, nor is what is not there: both are
faults, as is an end before the time. Each line is judged in three ways:

- by thirds of the time, by their medians: in the last third lag and age may not be higher than in the second,
  nor memory than in the first, by more than noise. Lag settles within minutes, a leak is slow;
- as a whole: it may not climb, however slowly, and however far it is below any bound (`lines.py`);
- age by its goal: a view says how far behind the log it may be, which all but a few looks must find true.

Between two batches lag and age grow by nature, and fall again. How far, depends on how often somebody looks
for news, which is their pace; so much is noise from third to third, and a quarter of it for a line.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.lines import climb, peaks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Values = Sequence[float | None]

FEWEST_LOOKS = 9  # three for each third
NOISE, MEMORY_NOISE = 1.5, 1.1  # times the medians of thirds
# What a line may climb over the whole time: parts of a pace, of the usual peak, of the memory.
LEVEL, FLAT_MEMORY = 0.25, 0.05
WHOLE_BATCH = 1.5  # paces: so long a stretch has the end of a batch in it, whenever it begins
LEAST_SHARE = 0.95  # of a rate that is wanted
SELDOM = 0.05  # share of looks that may find a goal missed
THIRDS = ("first third", "second third", "last third")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen at one moment; None is what nobody knows."""

    minute: float
    states: Mapping[str, str]  # of queries
    lag: Mapping[str, int | None]  # records that queries and services have still to read
    behind: Mapping[str, float | None]  # seconds, of queries
    counts: Mapping[str, int]  # of what has happened so far
    memory: float  # gigabytes
    cores: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Soak:
    """What was wanted, and what was seen."""

    minutes: float
    rates: Mapping[str, float]  # a second, of all that is counted
    queries: Mapping[str, float]  # that have to be there, and their paces in seconds
    goals: Mapping[str, float] = field(default_factory=dict)  # seconds that queries may be behind
    services: Mapping[str, float] = field(default_factory=dict)  # of which only the lag is known
    looks: Sequence[Look] = ()
    cold: Sequence[str] = ()  # queries that were not warm when the minutes began
    ended: str = ""  # why it was over before its time

    @property
    def watched(self) -> float:
        """Return the minutes from the first look to the last."""
        return self.looks[-1].minute - self.looks[0].minute if self.looks else 0.0

    @property
    def minutes_of_looks(self) -> list[float]:
        """Return when somebody looked."""
        return [look.minute for look in self.looks]

    @property
    def memory(self) -> list[float]:
        """Return the memory, look by look."""
        return [look.memory for look in self.looks]

    @property
    def lags(self) -> dict[str, Values]:
        """Return the lag of every query and service, look by look."""
        return {name: [look.lag.get(name) for look in self.looks] for name in self._paces}

    @property
    def ages(self) -> dict[str, Values]:
        """Return how many seconds every query was behind, look by look."""
        return {name: [look.behind.get(name) for look in self.looks] for name in self.queries}

    def pace(self, name: str) -> float:
        """Return how many seconds pass between two looks of a query or service for news."""
        return self._paces[name]

    def achieved(self, what: str) -> float:
        """Return how often something happened in a second."""
        if not self.watched:
            return 0.0
        return (self.looks[-1].counts[what] - self.looks[0].counts[what]) / (self.watched * 60)

    @property
    def _paces(self) -> dict[str, float]:
        return {**self.queries, **self.services}


def faults(soak: Soak) -> list[str]:
    """Say what was wrong; nothing if everything kept pace."""
    found = []
    if soak.ended:
        found.append(f"it was over after {soak.watched:.1f} of {soak.minutes:g} minutes: {soak.ended}")
    if soak.cold:
        found.append(f"not warm when the minutes began: {', '.join(soak.cold)}")
    if not soak.queries:
        found.append("there is no query to watch")
    if len(soak.looks) < FEWEST_LOOKS:
        return [*found, f"{len(soak.looks)} looks are too few to judge by, {FEWEST_LOOKS} are needed"]
    return [*found, *_not_live(soak), *_unknown(soak), *_growing(soak), *_missed(soak), *_slow(soak)]


def figures(soak: Soak) -> dict[str, Any]:
    """Return what is worth keeping of a soak."""
    return {
        "minutes": soak.minutes,
        "rates": {
            what: {"wanted": round(wanted, 2), "achieved": round(soak.achieved(what), 2)}
            for what, wanted in soak.rates.items()
        },
        "memory_gigabytes": {
            third: round(values, 2) for third, values in zip(THIRDS, _thirds(soak.memory), strict=True)
        },
        "cores": round(median([look.cores for look in soak.looks] or [0.0]), 1),
        "greatest_lag": {name: _greatest(values) for name, values in soak.lags.items()},
        "greatest_seconds_behind": {name: _greatest(values) for name, values in soak.ages.items()},
        "faults": faults(soak),
    }


def _not_live(soak: Soak) -> Iterator[str]:
    for query in soak.queries:
        states = Counter(look.states.get(query, "not there") for look in soak.looks)
        if others := {state: times for state, times in states.items() if state != "live"}:
            told = ", ".join(f"{state} {times}" for state, times in others.items())
            yield f"{query} was not live: {told} of {len(soak.looks)} times"


def _unknown(soak: Soak) -> Iterator[str]:
    for what, lines in (("lag", soak.lags), ("age", soak.ages)):
        for name, values in lines.items():
            if missing := values.count(None):
                yield f"{what} of {name} was not known {missing} of {len(values)} times"


def _growing(soak: Soak) -> Iterator[str]:
    over, all_rates = f"over {soak.watched:.0f} minutes", sum(soak.rates.values())
    for name, values in soak.lags.items():
        _first, middle, end = _thirds(values)
        climbed, level = _climb(soak, values, soak.pace(name))
        if end > NOISE * middle + all_rates * soak.pace(name):
            yield f"lag of {name} grew: {middle:,.0f}, then {end:,.0f} records"
        elif climbed > max(LEVEL * level, all_rates):  # what comes in a second is nothing
            yield f"lag of {name} climbs: by {climbed:,.0f} records {over}"
    for name, values in soak.ages.items():
        _first, middle, end = _thirds(values)
        climbed, _level = _climb(soak, values, soak.pace(name))
        if end > NOISE * middle + soak.pace(name):
            yield f"{name} fell behind: {middle:,.0f}, then {end:,.0f} seconds"
        elif climbed > LEVEL * soak.pace(name):
            yield f"{name} falls behind: by {climbed:,.0f} seconds {over}"
    first, _middle, end = _thirds(soak.memory)
    climbed, level = _climb(soak, soak.memory, 0.0)
    if end > MEMORY_NOISE * first:
        yield f"memory grew: {first:.2f}, then {end:.2f} GB"
    elif climbed > FLAT_MEMORY * level:
        yield f"memory climbs: by {climbed:.2f} GB {over}"


def _climb(soak: Soak, values: Values, pace: float) -> tuple[float, float]:
    """Return how far the peaks climb, and how high they are as a rule."""
    highest = peaks(soak.minutes_of_looks, values, WHOLE_BATCH * pace / 60)
    return climb(highest), median([value for _time, value in highest] or [0.0])


def _missed(soak: Soak) -> Iterator[str]:
    for name, goal in soak.goals.items():
        late = sum(age is not None and age > goal for age in soak.ages.get(name, ()))
        if late > SELDOM * len(soak.looks):
            yield f"{name} was more than {goal:,.0f} seconds behind {late} of {len(soak.looks)} times"


def _slow(soak: Soak) -> Iterator[str]:
    for what, wanted in soak.rates.items():
        if (achieved := soak.achieved(what)) < LEAST_SHARE * wanted:
            yield f"{what}: {achieved:,.1f} a second, not {wanted:,.1f}"


def _thirds(values: Values) -> tuple[float, float, float]:
    """Return the medians of the thirds, of what is known of them."""
    third = max(len(values) // 3, 1)
    parts = (values[:third], values[third:-third], values[-third:])
    first, middle, end = (median([each for each in part if each is not None] or [0.0]) for part in parts)
    return first, middle, end


def _greatest(values: Values) -> int | None:
    return max((round(each) for each in values if each is not None), default=None)
