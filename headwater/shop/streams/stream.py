"""What all streams of the shop have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from headwater.shop.events import Event
    from headwater.shop.shop import Shop

SECOND = 1000
MINUTE = 60 * SECOND


class Stream(ABC):
    """Makes the events of one topic.

    An event may begin a story: it puts what follows on the shop's agenda, and the shop calls for it in time.
    All chance comes from `draw`. Of Python's generators only random() promises the same numbers in every
    version, and of arithmetic only + - * / is the same on every machine: no log, no exp.
    """

    name: ClassVar[str]
    weight: ClassVar[int]
    """How many of a thousand records are of this stream when all streams are simulated."""
    changelog: ClassVar[bool] = False
    """Whether its topic is compacted: records without id and times, that no device holds back."""
    repays: ClassVar[bool] = False
    """Whether its events within stories are set off against its turns to begin a new one."""

    def __init__(self, shop: Shop) -> None:
        self.shop, self.draw, self.people = shop, shop.draw, shop.people
        self.topic = self.name + shop.suffix
        self.ahead = 0

    @property
    def turns(self) -> float:
        """Return its weight among the streams when the shop chooses what begins next."""
        return self.weight

    def begin(self, now: int) -> Event:
        """Return an event that happens now, and may begin a story."""
        return self.lone(now)

    @abstractmethod
    def lone(self, now: int) -> Event:
        """Return an event that belongs to no story."""

    def between(self, least: int, most: int) -> int:
        """Return a duration between two."""
        return least + int(self.draw() * (most - least))
