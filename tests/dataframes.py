"""Rows made by hand, as a DataFrame.

Handed over as Arrow. Spark's own way for lists goes through a Python worker each time they are read, which
takes longer than most of the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession


def dataframe(spark: SparkSession, rows: Iterable[tuple[Any, ...]], schema: str) -> DataFrame:
    """Return rows with the columns that the schema names, in its order."""
    columns = StructType.fromDDL(schema)
    named = [dict(zip(columns.names, row, strict=True)) for row in rows]
    return spark.createDataFrame(pa.Table.from_pylist(named, schema=to_arrow_schema(columns)), columns)
