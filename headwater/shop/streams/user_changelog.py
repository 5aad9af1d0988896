"""People as the shop knows them: first everyone registers, afterwards they move, change plans, leave, return.

Registrations take every other record until everyone is registered, the most popular people first. Whoever is
not registered yet, or has left, is in the shop nevertheless: as a guest, without a profile.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from headwater.shop.events import Event
from headwater.shop.people import COUNTRIES, PLANS, another
from headwater.shop.streams.stream import MINUTE, Stream

if TYPE_CHECKING:
    from headwater.shop.shop import Shop

MOVED, CHANGED_PLAN = 0.45, 0.45
"""Of turns, those in which someone moves to another country, and changes plan; in the others one leaves."""
GONE_FOR = (2 * MINUTE, 30 * MINUTE)
FIRST_NAMES = (b"Amber", b"Brook", b"Cedar", b"Dune", b"Ember", b"Fern", b"Grove", b"Heath", b"Isle", b"Jade")
LAST_NAMES = (b"Badger", b"Crane", b"Dove", b"Egret", b"Falcon", b"Gull", b"Heron", b"Ibis", b"Jay")
PROFILE = b'"user_id":"%b","name":"%b","country":"%b","plan":"%b"'


class UserChangelog(Stream):
    """The stories: `registered`, `moved`, `changed_plan`, `left`, `returned`."""

    name = "user_changelog"
    weight = 8
    changelog = True

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.registered = 0
        self.gone: set[int] = set()
        shop.later(0, self.register)

    def register(self, now: int) -> Event:
        """Register the next person."""
        person = self.registered
        self.registered += 1
        if self.registered < len(self.people):
            self.shop.later(now + 2 * self.shop.pause, self.register)
        return self.profile(person, "registered")

    def begin(self, now: int) -> Event:
        """Let someone who is registered change."""
        person, drawn = self.someone(), self.draw()
        if person in self.gone:
            return self.come_back(person, now)
        if drawn < MOVED:
            countries = self.people.countries
            countries[person] = another(COUNTRIES, countries[person], self.draw())
            return self.profile(person, "moved")
        return self.change_plan(person) if drawn < MOVED + CHANGED_PLAN else self.leave(person, now)

    def change_plan(self, person: int) -> Event:
        """Choose another plan."""
        plans = self.people.plans
        plans[person] = another(PLANS, plans[person], self.draw())
        return self.profile(person, "changed_plan")

    def leave(self, person: int, now: int) -> Event:
        """Say farewell, for a while."""
        self.gone.add(person)
        self.shop.later(now + self.between(*GONE_FOR), partial(self.come_back, person))
        return Event(self, self.people.ids[person], None, "left")

    def come_back(self, person: int, now: int) -> Event:
        """Return to the shop; whoever is back already chooses another plan."""
        if person not in self.gone:
            return self.change_plan(person)
        self.gone.remove(person)
        return self.profile(person, "returned")

    def lone(self, now: int) -> Event:
        """Tell a profile again."""
        return self.profile(self.someone(), "")

    def someone(self) -> int:
        """Return a person who is registered, or the first of all."""
        return self.people.popularity.rank(self.draw()) % max(1, self.registered)

    def profile(self, person: int, story: str) -> Event:
        """Return what the shop knows of a person."""
        people, user = self.people, self.people.ids[person]
        first = FIRST_NAMES[person % len(FIRST_NAMES)]
        last = LAST_NAMES[person // len(FIRST_NAMES) % len(LAST_NAMES)]
        name = self.shop.seal(user.decode(), "name", f"{first.decode()} {last.decode()}").encode()
        fields = (user, name, people.countries[person], people.plans[person])
        return Event(self, user, PROFILE % fields, story)
