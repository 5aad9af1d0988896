from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local import tools

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.local.conftest import FakeTool


def test_java_8_is_refused_with_the_command_that_installs_a_newer_one(fake_tool: FakeTool) -> None:
    fake_tool("java", """echo 'openjdk version "1.8.0_392"' >&2""")
    with pytest.raises(Refusal, match="Java 8 is too old") as refused:
        tools.check_java()
    assert "install" in refused.value.hint


def test_java_that_does_not_tell_its_version_is_refused(fake_tool: FakeTool) -> None:
    fake_tool("java", "exit 1")
    with pytest.raises(Refusal, match="too old"):
        tools.check_java()


def test_java_21_will_do(fake_tool: FakeTool) -> None:
    fake_tool("java", """echo 'openjdk version "21.0.4" 2024-07-16' >&2""")
    tools.check_java()


def test_java_home_goes_before_path(fake_tool: FakeTool, monkeypatch: pytest.MonkeyPatch) -> None:
    java = fake_tool("java", """echo 'openjdk version "17.0.1"' >&2""")
    monkeypatch.setenv("JAVA_HOME", str(java.parent.parent))
    assert tools.find_java() == str(java)


@pytest.mark.usefixtures("no_tools")
def test_missing_java_is_refused_with_the_command_that_installs_it() -> None:
    with pytest.raises(Refusal, match="Java is missing") as refused:
        tools.check_java()
    assert "openjdk-17" in refused.value.hint


def test_root_with_apt_gets_java_installed(
    fake_tool: FakeTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = "#!/bin/sh\\necho 'openjdk version \\\"17.0.1\\\"' >&2\\n"
    folder = tmp_path / "bin"
    install = f'[ "$1" = install ] && printf "{java}" > {folder}/java && /bin/chmod +x {folder}/java'
    fake_tool("apt-get", f"{install}; exit 0")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    tools.check_java()
    assert tools.find_java() == f"{folder}/java"


@pytest.mark.usefixtures("no_tools")
def test_missing_terraform_is_refused_with_the_command_that_installs_it() -> None:
    with pytest.raises(Refusal, match="Terraform is missing") as refused:
        tools.check_terraform()
    assert "install" in refused.value.hint


def test_old_terraform_is_refused(fake_tool: FakeTool) -> None:
    fake_tool("terraform", """echo '{"terraform_version": "1.5.7"}'""")
    with pytest.raises(Refusal, match=r"Terraform 1\.5\.7 is too old"):
        tools.check_terraform()


def test_terraform_1_10_is_newer_than_1_9(fake_tool: FakeTool) -> None:
    fake_tool("terraform", """echo '{"terraform_version": "1.10.0"}'""")
    tools.check_terraform()


def test_terraform_is_not_told_of_a_configuration_file_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", "/there/is/no/such/file")
    assert "TF_CLI_CONFIG_FILE" not in tools.terraform_environment()
