"""What a jar says of itself."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from audit import jars

if TYPE_CHECKING:
    from pathlib import Path

LICENCE = "<licenses><license><name>Apache License,\n Version 2.0</name></license></licenses>"
POM = f"<project xmlns='x'>{LICENCE}</project>"


def jar(folder: Path, name: str, files: dict[str, str]) -> None:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def test_jar_with_a_maven_description_is_known_by_group_and_licence(tmp_path: Path) -> None:
    jar(tmp_path, "kafka_2.13-4.3.1.jar", {"META-INF/maven/org.apache.kafka/kafka_2.13/pom.xml": POM})
    (found,) = jars.components(tmp_path)
    assert found["purl"] == "pkg:maven/org.apache.kafka/kafka_2.13@4.3.1"
    assert found["licenses"] == [{"license": {"name": "Apache License, Version 2.0"}}]


@pytest.mark.parametrize(
    ("files", "licence"),
    [
        ({"META-INF/MANIFEST.MF": 'Bundle-License: "MIT";link=x\r\n'}, "MIT"),
        ({"META-INF/LICENSE": "Apache License\nVersion 2.0"}, "Apache-2.0"),
    ],
)
def test_licence_is_read_where_the_jar_has_it(tmp_path: Path, files: dict[str, str], licence: str) -> None:
    jar(tmp_path, "thing-1.0.jar", files)
    assert jars.components(tmp_path)[0]["licenses"] == [{"license": {"name": licence}}]


def test_jar_that_says_nothing_is_still_on_the_bill(tmp_path: Path) -> None:
    jar(tmp_path, "iceberg-spark-runtime-4.1_2.13-1.12.0.jar", {"a": ""})
    (found,) = jars.components(tmp_path)
    assert (found["name"], found["version"]) == ("iceberg-spark-runtime-4.1_2.13", "1.12.0")
    assert found["licenses"] == []
