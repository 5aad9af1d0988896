from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.user_profiles import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at
from tests.present_tables import table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_everyone_is_there_as_they_are_now_and_who_has_left_is_not(spark: SparkSession) -> None:
    users = table(
        spark,
        "user_changelog",
        {"user_id": "ada", "name": "Ada", "country": "FR", "plan": "pro", "changed_at": at(minutes=3)},
        {"user_id": "cem", "gone": True},
    )
    expected = dataframe(spark, [("ada", "Ada", "FR", "pro", at(minutes=3))], VIEW.schema)
    assertDataFrameEqual(transform(users), expected)
