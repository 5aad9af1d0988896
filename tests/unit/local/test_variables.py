from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local.variables import choose_variables, remember

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = ("TF_VAR_brokers", "TF_VAR_workers", "TF_VAR_app_properties")
    for variable in ("HEADWATER_PORT_BASE", "TF_VAR_notification_channels", *sizes):
        monkeypatch.delenv(variable, raising=False)


def test_choices_are_remembered_without_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_PORT_BASE", "21000")
    monkeypatch.setenv("TF_VAR_brokers", "3")
    remember(tmp_path, choose_variables(tmp_path))
    monkeypatch.undo()
    assert (choose_variables(tmp_path).port_base, choose_variables(tmp_path).brokers) == (21000, 3)


def test_workers_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(tmp_path, choose_variables(tmp_path))
    monkeypatch.setenv("TF_VAR_workers", "2")
    assert choose_variables(tmp_path).workers == 2


def test_brokers_may_not_change_once_their_storage_is_formatted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(tmp_path, choose_variables(tmp_path))
    (tmp_path / "kafka").mkdir()
    (tmp_path / "kafka/cluster-id").write_text("id")
    monkeypatch.setenv("TF_VAR_brokers", "3")
    with pytest.raises(Refusal, match="cannot change from 1 to 3"):
        choose_variables(tmp_path)


def test_size_that_is_no_number_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_VAR_workers", "some")
    with pytest.raises(Refusal, match='"some" is not a number of workers'):
        choose_variables(tmp_path)


def test_size_of_apps_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_VAR_app_properties", '{"spark.executor.memory": "2g"}')
    remember(tmp_path, choose_variables(tmp_path))
    monkeypatch.delenv("TF_VAR_app_properties")
    assert choose_variables(tmp_path).app_properties == {"spark.executor.memory": "2g"}


@pytest.mark.parametrize("text", ["2g", "[1]", ""])
def test_properties_that_are_no_object_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("TF_VAR_app_properties", text)
    with pytest.raises(Refusal, match="not a JSON object"):
        choose_variables(tmp_path)


def test_channels_are_the_log_until_others_are_chosen_and_then_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose_variables(tmp_path).notification_channels == {"log": {}}
    monkeypatch.setenv("TF_VAR_notification_channels", '{"email": {"port": 25}}')
    remember(tmp_path, choose_variables(tmp_path))
    monkeypatch.delenv("TF_VAR_notification_channels")
    assert choose_variables(tmp_path).notification_channels == {"email": {"port": "25"}}


@pytest.mark.parametrize("text", ["log", '["log"]', '{"log": "yes"}', ""])
def test_channels_that_are_no_objects_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("TF_VAR_notification_channels", text)
    with pytest.raises(Refusal, match="not a JSON object of objects"):
        choose_variables(tmp_path)


def test_address_with_a_token_is_not_remembered_nor_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = '{"webhook": {"url": "https://hooks.example/?token=s3cret"}}'
    monkeypatch.setenv("TF_VAR_notification_channels", chosen)
    with pytest.raises(Refusal, match="is not written down") as refused:
        remember(tmp_path, choose_variables(tmp_path))
    assert "s3cret" not in str(refused.value)
    assert not list(tmp_path.iterdir())
