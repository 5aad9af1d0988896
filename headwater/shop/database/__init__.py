"""The shop's own database: customers, products, orders, posts, follows, stored queries."""

from headwater.shop.database.connecting import DATABASE, connect, migrate

__all__ = ["DATABASE", "connect", "migrate"]
