"""The copy of the catalog in Glue, as moto plays it, read by PyIceberg as any reader would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pyarrow as pa
import pytest
from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.catalog.sql import SqlCatalog

from headwater import glue, lake

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


def test_all_views_are_published_in_the_database_that_terraform_makes(
    settings: Settings, client: Any, catalog: SqlCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = {"orders": version(catalog, "orders__v1", {"country": ["de"]})}
    monkeypatch.setattr(lake, "view_tables", lambda _settings: tables)
    assert glue.publish(settings) == ["orders"]
    assert glue.publish(settings) == []
    assert read(client) == [{"country": "de"}]
