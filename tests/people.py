"""People whom nobody else is called like, with rows in the shop as its applications write them: sealed."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.erasure.sought import Sought
from headwater.people import keyring
from headwater.shop import database
from headwater.shop.database import rows
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.settings import Settings


@dataclass(frozen=True, slots=True)
class Person:
    """A person, and their words in the clear."""

    id: str
    name: str
    post: str

    @property
    def needles(self) -> tuple[bytes, ...]:
        return Sought(texts=(self.name, self.post)).needles()


def new_person() -> Person:
    mark = uuid.uuid4().hex[:12]
    return Person(f"user-{mark}", f"Quill Marigöld-{mark}", f"My garden is called {mark}, don't tell.")


def register(settings: Settings, person: Person) -> None:
    """Write a person's rows."""
    with keyring(settings) as keys, database.connect(settings) as shop:
        name, body = keys.seal(person.id, "name", person.name), keys.seal(person.id, "body", person.post)
        post = f"post-{person.id}"
        told = {
            "user_changelog": {"user_id": person.id, "name": name, "country": "DE", "plan": "pro"},
            "post_changelog": {"post_id": post, "user_id": person.id, "body": body, "posted_at": 0},
        }
        for topic, row in told.items():
            declared = load_topics()[topic]
            rows.write(shop, declared, row[declared.key].encode(), json.dumps(row).encode())  # type: ignore[union-attr]
