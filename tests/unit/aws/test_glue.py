"""The copy of the catalog in Glue, as moto plays it, read by PyIceberg as any reader would."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pyarrow as pa
import pytest
from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.catalog.sql import SqlCatalog

from headwater import alarms, glue, lake
from headwater.errors import Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from pyiceberg.table import Table

    from headwater.settings import Settings

DATABASE = "headwater_test_views"


@pytest.fixture
def client() -> Any:
    made = boto3.client("glue")
    made.create_database(DatabaseInput={"Name": DATABASE})
    return made


@pytest.fixture
def catalog(tmp_path: Path) -> SqlCatalog:
    made = SqlCatalog("lake", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")
    made.create_namespace("versions")
    return made


def version(catalog: SqlCatalog, name: str, rows: dict[str, list[Any]]) -> Table:
    content = pa.table(rows)
    made = catalog.create_table(f"versions.{name}", schema=content.schema)
    made.append(content)
    return made


def read(client: Any) -> list[dict[str, Any]]:
    return list(
        GlueCatalog("glue", client=client).load_table(f"{DATABASE}.orders").scan().to_arrow().to_pylist()
    )


def test_reader_of_the_copy_sees_the_rows_of_the_view(client: Any, catalog: SqlCatalog) -> None:
    assert glue.show(client, DATABASE, "orders", version(catalog, "orders__v1", {"country": ["de"]}))
    assert read(client) == [{"country": "de"}]


def test_new_rows_are_seen_once_they_are_published(client: Any, catalog: SqlCatalog) -> None:
    table = version(catalog, "orders__v1", {"country": ["de"]})
    glue.show(client, DATABASE, "orders", table)
    table.append(pa.table({"country": ["fr"]}))
    assert read(client) == [{"country": "de"}]
    assert glue.show(client, DATABASE, "orders", table)
    assert sorted(row["country"] for row in read(client)) == ["de", "fr"]
    assert not glue.show(client, DATABASE, "orders", table)  # nothing new


def test_promoted_version_is_seen_with_its_own_columns(client: Any, catalog: SqlCatalog) -> None:
    glue.show(client, DATABASE, "orders", version(catalog, "orders__v1", {"country": ["de"]}))
    glue.show(client, DATABASE, "orders", version(catalog, "orders__v2", {"country": ["de"], "orders": [7]}))
    assert read(client) == [{"country": "de", "orders": 7}]
    columns = client.get_table(DatabaseName=DATABASE, Name="orders")["Table"]["StorageDescriptor"]["Columns"]
    assert [(column["Name"], column["Type"]) for column in columns] == [
        ("country", "string"),
        ("orders", "bigint"),
    ]


@pytest.fixture
def tables(catalog: SqlCatalog, monkeypatch: pytest.MonkeyPatch) -> dict[str, Table]:
    """Return the tables that views point at, in a catalog that is no PostgreSQL."""
    tables = {"orders": version(catalog, "orders__v1", {"country": ["de"]})}
    monkeypatch.setattr(lake, "view_tables", lambda _settings: tables)
    return tables


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep what would go to the registry and to Kafka."""
    told: list[str] = []
    monkeypatch.setattr(alarms, "raise_alarm", lambda _settings, *words: told.append(f"raised {words[:2]}"))
    monkeypatch.setattr(alarms, "clear", lambda _settings, *words: told.append(f"cleared {words}"))
    return told


@pytest.mark.usefixtures("tables")
def test_all_views_are_published_in_the_database_that_terraform_makes(
    settings: Settings, client: Any
) -> None:
    assert glue.publish(settings) == ["orders"]
    assert glue.publish(settings) == []
    assert read(client) == [{"country": "de"}]


def test_look_renews_the_copy_and_says_nothing(
    settings: Settings, client: Any, tables: dict[str, Table], told: list[str]
) -> None:
    assert glue.look_after(settings) == []
    tables["orders"].append(pa.table({"country": ["fr"]}))
    assert glue.look_after(settings) == []
    assert sorted(row["country"] for row in read(client)) == ["de", "fr"]
    assert told == ["cleared ('glue', 'copy outdated')"] * 2


@pytest.mark.usefixtures("tables")
def test_copy_that_cannot_be_renewed_is_an_alarm(settings: Settings, client: Any, told: list[str]) -> None:
    client.delete_database(Name=DATABASE)
    (outdated,) = glue.look_after(settings)
    assert "Glue shows views as they were" in str(outdated)
    assert told == ["raised ('glue', 'copy outdated')"]


def test_environment_without_glue_has_nothing_to_look_after(settings: Settings, told: list[str]) -> None:
    elsewhere = replace(settings, glue_database="")
    assert glue.look_after(elsewhere) == []
    assert told == []
    with pytest.raises(Refusal, match="no copy of its catalog"):
        glue.publish(elsewhere)


def test_past_of_a_view_is_not_kept_in_glue(client: Any, catalog: SqlCatalog) -> None:
    asked: list[dict[str, Any]] = []
    client.meta.events.register(
        "provide-client-params.glue.UpdateTable", lambda params, **_: asked.append(params)
    )
    table = version(catalog, "orders__v1", {"country": ["de"]})
    glue.show(client, DATABASE, "orders", table)
    table.append(pa.table({"country": ["fr"]}))
    glue.show(client, DATABASE, "orders", table)
    assert [one["SkipArchive"] for one in asked] == [True]
