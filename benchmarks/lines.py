"""Lines through what was seen: how steep they are, and whether something climbs.

    lag   ╱│ ╱│ ╱│ ╱│    between two batches it grows, and falls again: steady
             ╱│ ╱ │ ╱ │    each time a little higher: it climbs, however far below every bound

So the peaks count, of stretches of time that each hold a whole batch or more: where in its batch a look finds
a query is chance, how far behind it comes at most is not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Points = Sequence[tuple[float, float]]

FEWEST_PEAKS, MOST_PEAKS = 4, 10
SURE = 3.0  # times what the line through scattered points may climb by chance (its standard error)


def slope(points: Points) -> float:
    """Return the slope of the line that fits best; none without two points."""
    if len(points) < 2:
        return math.nan
    mean_x, mean_y = _means(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / _spread(points)


def peaks(
    times: Sequence[float], values: Sequence[float | None], shortest: float
) -> list[tuple[float, float]]:
    """Return the highest value of each of a few equal stretches of time, none shorter than told.

    What nobody knows is left out, and a stretch of which nobody knows anything as well.
    """
    whole = times[-1] - times[0] if times else 0.0
    number = MOST_PEAKS if shortest <= 0 else min(MOST_PEAKS, int(whole / shortest))
    if whole <= 0 or number < 1:
        return []
    highest: dict[int, float] = {}
    for time, value in zip(times, values, strict=True):
        if value is not None:
            stretch = min(int((time - times[0]) / whole * number), number - 1)
            highest[stretch] = max(highest.get(stretch, value), value)
    return [((stretch + 0.5) / number, highest[stretch]) for stretch in sorted(highest)]


def climb(points: Points) -> float:
    """Return how far points climb over the whole of their time; nothing if that may be chance."""
    if len(points) < FEWEST_PEAKS:
        return 0.0
    steep, (mean_x, mean_y) = slope(points), _means(points)
    scattered = sum((y - mean_y - steep * (x - mean_x)) ** 2 for x, y in points)
    by_chance = math.sqrt(scattered / (len(points) - 2) / _spread(points))
    return steep if steep > SURE * by_chance else 0.0


def _means(points: Points) -> tuple[float, float]:
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return mean_x, mean_y


def _spread(points: Points) -> float:
    mean_x, _mean_y = _means(points)
    return sum((x - mean_x) ** 2 for x, _ in points)
