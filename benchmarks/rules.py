"""The rules of events and of three views once more, in DuckDB's SQL: as the docs tell them.

See docs/architecture.md, "The way of an event". Times are whole milliseconds. Of rows that appear when their
time is over, `due` says whether it is: others may be there, or not yet.
"""

from __future__ import annotations

from dataclasses import dataclass

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
LATE_AFTER = 10 * MINUTE
CELL = 10 * MINUTE
TIMES = ("occurred_at", "sent_at")
# The texts that an event must have.
TEXTS = {
    "page_views": ("event_id", "user_id", "page"),
    "impressions": ("event_id", "impression_id", "ad_id", "user_id"),
    "clicks": ("event_id", "impression_id", "user_id"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is special about a view."""

    topics: tuple[str, ...]
    keeps_late: bool
    waits: int  # for what is on its way: rows appear when events so much later have been heard of
    rows: str


PAGE_VIEWS_PER_MINUTE = f"""
    SELECT event_time // {MINUTE} * {MINUTE} AS minute_at, page,
        count(*) AS views, count(*) FILTER (late) + 1 AS revision, true AS due
    FROM page_views GROUP BY minute_at, page
"""
USER_SESSIONS = f"""
    WITH after_pauses AS (
        SELECT *, event_time - lag(event_time) OVER by_time > {10 * MINUTE} AS opens FROM page_views
        WINDOW by_time AS (PARTITION BY user_id ORDER BY event_time, event_id)
    ), numbered AS (
        SELECT *, count(*) FILTER (opens) OVER (
            PARTITION BY user_id ORDER BY event_time, event_id ROWS UNBOUNDED PRECEDING
        ) AS session FROM after_pauses
    )
    SELECT min(event_time) AS started_at, max(event_time) AS ended_at, user_id, count(*) AS pages,
        (max(event_time) - min(event_time)) / 1000 AS seconds,
        first(page ORDER BY event_time, event_id) AS entry_page,
        last(page ORDER BY event_time, event_id) AS exit_page,
        max(event_time) + {10 * MINUTE} < (SELECT reached FROM reached) AS due
    FROM numbered GROUP BY user_id, session
"""
AD_CLICKS = f"""
    SELECT shown.event_time AS shown_at, shown.impression_id, shown.ad_id, shown.user_id,
        clicked.event_time AS clicked_at, clicked.event_id AS click_id,
        shown_at + {10 * MINUTE} < (SELECT reached FROM reached) AS due
    FROM impressions AS shown LEFT JOIN clicks AS clicked
        ON clicked.impression_id = shown.impression_id
        AND clicked.event_time BETWEEN shown.event_time AND shown.event_time + {10 * MINUTE}
    QUALIFY row_number() OVER (
        PARTITION BY shown_at, shown.impression_id ORDER BY clicked_at NULLS LAST, click_id NULLS LAST
    ) = 1
"""
RULES = {
    "page_views_per_minute": Rules(
        topics=("page_views",), keeps_late=True, waits=0, rows=PAGE_VIEWS_PER_MINUTE
    ),
    "user_sessions": Rules(topics=("page_views",), keeps_late=False, waits=20 * MINUTE, rows=USER_SESSIONS),
    "ad_clicks": Rules(topics=("impressions", "clicks"), keeps_late=False, waits=12 * MINUTE, rows=AD_CLICKS),
}


def events(records: str, name: str, topic: str, *, keeps_late: bool) -> str:
    """Return SQL that makes the table of a topic's events out of `records`."""
    texts, fields = TEXTS[name], [*TEXTS[name], *TIMES]
    paths = ", ".join(f"'$.{field}'" for field in fields)
    kinds = [
        *(f"kinds[{number}] = 'VARCHAR'" for number in range(1, len(texts) + 1)),
        *(f"kinds[{len(texts) + number}] IN ('UBIGINT', 'BIGINT')" for number in (1, 2)),
    ]
    named = ", ".join(f"texts[{number}] AS {field}" for number, field in enumerate(texts, 1))
    return f"""
        CREATE OR REPLACE TABLE {name} AS WITH objects AS (
            SELECT part, place, received, json_type(value, [{paths}]) AS kinds,
                json_extract_string(value, [{paths}]) AS texts
            FROM {records} WHERE topic = '{topic}' AND json_valid(value)
        ), told AS (
            SELECT part, place, received, {named},
                texts[{len(texts) + 1}]::BIGINT AS occurred, texts[{len(texts) + 2}]::BIGINT AS sent
            FROM objects WHERE {" AND ".join(kinds)}
        ), timed AS (
            SELECT *, received - sent AS error, least(occurred + received - sent, received) AS event_time
            FROM told
            WHERE abs(received - sent) < {DAY} AND sent - occurred > -{DAY} AND sent - occurred <= {DAY}
        ), kept AS (
            SELECT * EXCLUDE (error, sent), received - event_time > {LATE_AFTER} AS late,
                floor((error + {CELL // 2}) / {CELL})::INTEGER AS cell
            FROM timed WHERE {keeps_late} OR received - event_time <= {LATE_AFTER}
        ), repeats AS (
            SELECT part, place FROM kept
            WHERE event_id IN (SELECT event_id FROM kept GROUP BY event_id HAVING count(*) > 1)
            QUALIFY row_number() OVER (PARTITION BY event_id, occurred, cell ORDER BY part, place) > 1
        )
        SELECT * EXCLUDE (part, place, received, occurred, cell)
        FROM kept ANTI JOIN repeats USING (part, place)
    """
