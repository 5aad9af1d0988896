"""People whom nobody else is called like, with rows in the shop as its applications write them: sealed."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.erasure.sought import Sought
from headwater.people import keyring
from headwater.shop import database
from headwater.shop.database import rows
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.settings import Settings

# The name of whoever has none of their own in a test: as long as a seal is, and no key opens it.
SOMEBODY = f"sealed:1:{'A' * 32}"


@dataclass(frozen=True, slots=True)
class Person:
    """A person, and their words in the clear."""

    id: str
    name: str
    former_name: str
    post: str

    @property
    def needles(self) -> tuple[bytes, ...]:
        return Sought(texts=(self.name, self.former_name, self.post)).needles()


def new_person() -> Person:
    mark = uuid.uuid4().hex[:12]
    return Person(
        id=f"user-{mark}",
        name=f"Quill Marigöld-{mark}",
        former_name=f"Quill Nightshade-{mark}",
        post=f"My garden is called {mark}, don't tell.",
    )


def register(settings: Settings, person: Person) -> None:
    """Write a person's profile, and a post of theirs."""
    with keyring(settings) as keys:
        name, body = keys.seal(person.id, "name", person.name), keys.seal(person.id, "body", person.post)
    _write(settings, "user_changelog", user_id=person.id, name=name, country="DE", plan="pro")
    _write(settings, "post_changelog", post_id=f"post-{person.id}", user_id=person.id, body=body, posted_at=0)


def follow(settings: Settings, follower: Person, followed: Person) -> None:
    """Let one person follow another."""
    follow = f"{follower.id}-{followed.id}"
    _write(settings, "follow_changelog", follow_id=follow, follower_id=follower.id, followed_id=followed.id)


def order(settings: Settings, person: Person) -> None:
    """Let a person order something."""
    placed = {"status": "placed", "ordered_at": 0, "updated_at": 0}
    _write(settings, "order_changelog", order_id=f"order-{person.id}", user_id=person.id, **placed)


def _write(settings: Settings, topic: str, **row: Any) -> None:
    """Write a row of the table whose changes a topic tells."""
    declared = load_topics()[topic]
    with database.connect(settings) as shop:
        rows.write(shop, declared, row[declared.key].encode(), json.dumps(row).encode())
