"""What is news: of rows, those that whoever listens to an output topic has not heard of."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import publishing, resolving
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spark_apps.sinks import Bounds
    from spark_apps.view import View


def news(rows: DataFrame, view: View, bounds: Bounds) -> DataFrame:
    """Return the rows of a batch that will change the table: new ones, different ones, preferred ones.

    A beginning that has only moved ahead is none: it was told where it was.
    """
    if bounds["found"] == 0:
        return rows
    there = rows.sparkSession.table(f"{CATALOG}.{view.table}")
    near = there.where(F.col(view.time).between(bounds["first"], bounds["last"])) if view.time else there
    kept = near.alias("kept")
    changes = resolving.resolved(rows, view).alias("changes")
    same = " AND ".join(f"kept.{name} <=> changes.{name}" for name in there.columns)
    changed = resolving.better(view) if view.prefers else f"NOT ({same})"
    joined = changes.join(kept, on=F.expr(resolving.same_key(view)), how="left")
    found = joined.where(f"kept.{view.keys[0]} IS NULL OR {changed}").select("changes.*")
    if not view.beginnings_of:
        return found
    return found.join(resolving.moved_ahead(rows, near, view), on=list(view.keys), how="left_anti")


def untold(rows: DataFrame, told: DataFrame, view: View) -> DataFrame:
    """Return the rows of a version that were not told like this by another one, or by itself at another time.

    Versions may differ in their columns: those are compared that both have. If what makes a record is not
    among them, nothing of it was told.
    """
    kinds = dict(told.dtypes)
    shared = [name for name, kind in rows.dtypes if kinds.get(name) == kind]
    if not {*view.keys, *publishing.identity(view)} <= {*shared}:
        return rows
    now, then = rows.alias("now"), told.select(*shared).alias("then")
    fresh = now.join(then, on=_same(shared), how="left_anti")
    if not view.beginnings_of:
        return fresh
    lost = then.join(now, on=_same(view.keys), how="left_anti").withColumn(resolving.GONE, F.lit(True))
    either = rows.withColumn(resolving.GONE, F.lit(False)).unionByName(lost, allowMissingColumns=True)
    return fresh.join(resolving.moved_ahead(either, told, view), on=list(view.keys), how="left_anti")


def _same(names: list[str] | tuple[str, ...]) -> Column:
    return reduce(and_, (F.col(f"now.{name}").eqNullSafe(F.col(f"then.{name}")) for name in names))
