from __future__ import annotations

import base64
import json
import stat
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local.secret_store import GENERATORS, fill, load_secrets, secrets_file

if TYPE_CHECKING:
    from pathlib import Path


def test_secrets_are_generated_once(tmp_path: Path) -> None:
    first = load_secrets(tmp_path)
    assert load_secrets(tmp_path) == first
    assert set(first) == set(GENERATORS)
    assert len(set(first.values())) == len(first)


def test_missing_secret_is_added_and_existing_ones_stay(tmp_path: Path) -> None:
    secrets_file(tmp_path).write_text(json.dumps({"kafka.admin": "mine", "other": "kept"}))
    secrets = load_secrets(tmp_path)
    assert (secrets["kafka.admin"], secrets["other"]) == ("mine", "kept")
    assert "airflow.jwt" in secrets


def test_only_the_owner_can_read_the_secrets(tmp_path: Path) -> None:
    load_secrets(tmp_path)
    assert stat.S_IMODE(secrets_file(tmp_path).stat().st_mode) == 0o600


def test_key_for_submission_has_384_bits(tmp_path: Path) -> None:
    assert len(base64.urlsafe_b64decode(load_secrets(tmp_path)["spark.submission"])) == 48


def test_placeholders_are_filled() -> None:
    assert fill("password=@{kafka.admin};", {"kafka.admin": "s3cret"}) == "password=s3cret;"


def test_placeholder_without_a_secret_is_refused_by_name() -> None:
    with pytest.raises(Refusal, match=r'secret "kafka\.nobody" does not exist'):
        fill("@{kafka.nobody}", {})
