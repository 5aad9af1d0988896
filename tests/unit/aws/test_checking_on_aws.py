"""What a check asks of an environment on AWS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from headwater import checking
from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.settings import Settings


def test_connect_needs_a_password_only_where_it_has_an_address(settings: Settings) -> None:
    elsewhere = replace(settings, connect_url="http://127.0.0.1:8083")
    assert set(checking.users(elsewhere)) - set(checking.users(settings)) == {"connect"}


def test_everything_that_is_wrong_is_told_at_once_in_three_parts(settings: Settings) -> None:
    with pytest.raises(Refusal, match='environment "test" is not ready') as refused:
        checking.check(replace(settings, spark_master="emr-serverless://00gone"))
    told = {line.split(":")[0] for line in refused.value.detail.splitlines()}
    assert told == {"Kafka", "PostgreSQL", "Spark"}
    assert 'does not know the application "00gone"' in refused.value.detail
