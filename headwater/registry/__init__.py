"""The registry: what there is to run, what should run, and who runs it (PostgreSQL, schema headwater)."""

from headwater.registry.database import Connection, connect, migrate, migrated
from headwater.registry.locks import alone

__all__ = ["Connection", "alone", "connect", "migrate", "migrated"]
