"""Two rows with one key: which of them stays.

As a rule the latter does. A view that joins streams gives out a row for each pair as it finds it, and the
order in which it finds them is the accident of a batch; such a view says which row it `prefers`, and the same
one stays whatever came first. A row that is `gone` removes the one that is there.

Where rows tell beginnings, an event out of order may move one ahead: a row is gone, and the one before it has
taken its place. Who has been told of the first need not hear of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spark_apps.view import View

GONE = "gone"
DESCENDING = " DESC"


def resolved(rows: DataFrame, view: View) -> DataFrame:
    """Return the rows that stay when all have been heard."""
    best = preferred(rows, view) if view.mode == "upsert" else rows
    return best.where(f"NOT {GONE}").drop(GONE) if GONE in rows.columns else best


def preferred(rows: DataFrame, view: View) -> DataFrame:
    """Return one row for each key: the preferred one.

    Rows of windows have one by the way they are made. Events may share theirs, if somebody forges ids: of
    those the least row stays, since a merge with two rows for one key would stop the app.
    """
    if view.grain == "window" and not view.prefers:
        return rows
    others = [name for name in rows.columns if name not in view.keys]
    order = [_order(term) for term in (*view.prefers, *others)]
    best_first = Window.partitionBy(*view.keys).orderBy(*order)
    ranked = rows.withColumn("rank", F.row_number().over(best_first))
    return ranked.where("rank = 1").drop("rank")


def same_key(view: View) -> str:
    """Return SQL that says whether a row of `changes` and a row of `kept` have the same key."""
    return " AND ".join(f"kept.{key} <=> changes.{key}" for key in view.keys)


def better(view: View) -> str:
    """Return SQL that says whether a row of `changes` is preferred to the row of `kept` with its key."""
    ranks = {side: ", ".join(_rank(term, side) for term in view.prefers) for side in ("changes", "kept")}
    return f"struct({ranks['changes']}) < struct({ranks['kept']})"


def moved_ahead(rows: DataFrame, kept: DataFrame, view: View) -> DataFrame:
    """Return the keys of rows that have taken the place of one that was kept, and is gone."""
    keys = ", ".join(f"stays.{key}" for key in view.keys)
    of_the_same = [f"stays.{name} = lost.{name}" for name in view.beginnings_of]
    before = " AND ".join([*of_the_same, f"stays.{view.time} < lost.{view.time}"])
    lost = rows.where(GONE).join(kept, on=list(view.keys), how="left_semi")
    pairs = lost.alias("lost").join(rows.where(f"NOT {GONE}").alias("stays"), on=F.expr(before), how="inner")
    nearest = pairs.groupBy(*(f"lost.{key}" for key in view.keys)).agg(
        F.expr(f"max_by(struct({keys}), stays.{view.time})").alias("nearest")
    )
    return nearest.select("nearest.*").distinct()


def _order(term: str) -> Column:
    column = F.col(term.removesuffix(DESCENDING))
    return column.desc_nulls_last() if term.endswith(DESCENDING) else column.asc_nulls_last()


def _rank(term: str, side: str) -> str:
    column = f"{side}.{term.removesuffix(DESCENDING)}"
    value = f"-unix_micros({column})" if term.endswith(DESCENDING) else column
    return f"{column} IS NULL, {value}"
