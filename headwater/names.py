"""What a version of a view is called, everywhere: by people, in the lake, in checkpoints and in Kafka.

A version is the code's `version`; its build counts how often that code was replayed into a table of its own.

    label("v2")   query("page_views_per_minute", "v2") == "page_views_per_minute.v2"
"""

from __future__ import annotations

import re

LABEL = re.compile(r"v([1-9][0-9]{0,8})(?:b([1-9][0-9]{0,8}))?")
QUERY = re.compile(rf"([a-z][a-z0-9_]{{0,60}})\.({LABEL.pattern})")


def label(version: int, build: int = 1) -> str:
    """Return what people call a version: `v2`, or `v2b3` for its third build."""
    return f"v{version}b{build}" if build > 1 else f"v{version}"


def query(view: str, label: str) -> str:
    """Return the streaming query that keeps a version; an app of its own has the same name."""
    return f"{view}.{label}"


def table(view: str, label: str) -> str:
    """Return the table of a version; readers use the pointer `views.<view>` instead."""
    return f"versions.{view}__{label}"


def batch_table(view: str, label: str) -> str:
    """Return the table of the closed days of a version; readers use `serving.<view>` instead."""
    return f"batch.{view}__{label}"


def checkpoint(view: str, label: str) -> str:
    """Return the folder of a version's progress, below the environment's checkpoints."""
    return f"views/{view}/{label}"


def snapshot_property(what: str) -> str:
    """Return under which name a snapshot carries what is known of its batch: offsets, counts, and so on."""
    return f"headwater.{what}"


def consumer_group(query: str) -> str:
    """Return the group under which a query's offsets are published, for ordinary Kafka tools to see."""
    return f"headwater.{query}"
