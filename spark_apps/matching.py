"""Rows of a view from two makers, side by side: matched by key, with a verdict on each.

Verdicts are `equal`, `different`, `only_live` and `only_candidate`. A row that one side has twice is matched
once; the other of the two is only on its side.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, FloatType

from headwater.replay.proof import DifferentRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

SIDES = ("live", "candidate")
SAMPLES = 20
# Sums of fractions depend on the order of addition, which no engine promises.
CLOSE = 1e-9
NTH = "nth"  # among the rows of one side that have the same key


def match(
    live: DataFrame, candidate: DataFrame, keys: Sequence[str], uncompared: Sequence[str] = ()
) -> DataFrame:
    """Return columns `live` and `candidate`, each a row or null, and `verdict`, on what both have."""
    columns = [name for name in live.columns if name in candidate.columns and name not in uncompared]
    rows = [_side(side, of, keys, columns) for side, of in zip(SIDES, (live, candidate), strict=True)]
    same = _all_equal(keys) & (F.col(f"live_{NTH}") == F.col(f"candidate_{NTH}"))
    verdict = (
        F.when(F.col("candidate").isNull(), "only_live")
        .when(F.col("live").isNull(), "only_candidate")
        .when(_agree(live, columns), "equal")
        .otherwise("different")
    )
    return rows[0].join(rows[1], on=same, how="full").select(*SIDES, verdict.alias("verdict"))


def counts(matched: DataFrame) -> dict[str, int]:
    """Count the verdicts."""
    return {row["verdict"]: row["count"] for row in matched.groupBy("verdict").count().collect()}


def key(name: str) -> Column:
    """Return a key of a pair of rows, whichever side has it."""
    return F.coalesce(F.col(f"live.{name}"), F.col(f"candidate.{name}")).alias(name)


def samples(matched: DataFrame, keys: Sequence[str]) -> tuple[DifferentRow, ...]:
    """Return the first rows that differ, as text: Spark writes times in UTC, Python would not."""
    texts = [F.col(side).cast(_as_text(matched, side)).alias(side) for side in SIDES]
    differ = matched.where("verdict <> 'equal'").orderBy(*(key(name) for name in keys))
    return tuple(_sample(row, keys) for row in differ.limit(SAMPLES).select(*texts).collect())


def _side(side: str, rows: DataFrame, keys: Sequence[str], columns: Sequence[str]) -> DataFrame:
    nth = F.row_number().over(Window.partitionBy(*keys).orderBy(F.lit(0)))
    return rows.select(F.struct(*columns).alias(side), nth.alias(f"{side}_{NTH}"))


def _all_equal(columns: Sequence[str]) -> Column:
    return reduce(and_, (F.col(f"live.{name}").eqNullSafe(F.col(f"candidate.{name}")) for name in columns))


def _agree(rows: DataFrame, columns: Sequence[str]) -> Column:
    fractions = {f.name for f in rows.schema.fields if isinstance(f.dataType, (DoubleType, FloatType))}
    return reduce(and_, (_close(name) if name in fractions else _all_equal((name,)) for name in columns))


def _close(name: str) -> Column:
    one, other = F.col(f"live.{name}"), F.col(f"candidate.{name}")
    near = F.abs(one - other) <= CLOSE * F.greatest(F.abs(one), F.abs(other))
    return one.eqNullSafe(other) | F.coalesce(near, F.lit(False))


def _as_text(matched: DataFrame, side: str) -> str:
    schema: Any = matched.schema[side].dataType
    return f"struct<{', '.join(f'{name}: string' for name in schema.names)}>"


def _sample(row: Any, keys: Sequence[str]) -> DifferentRow:
    live, candidate = (row[side] and row[side].asDict() for side in ("live", "candidate"))
    sides = [
        side and {name: "null" if v is None else v for name, v in side.items()} for side in (live, candidate)
    ]
    either = sides[0] or sides[1]
    return DifferentRow(keys={name: either[name] for name in keys}, live=sides[0], candidate=sides[1])
