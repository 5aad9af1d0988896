"""Words are found in files of every kind, packed or not; and are not found where they are not."""

from __future__ import annotations

import gzip
import html
import json
import os
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import NestedField, StringType

from headwater.erasure.scanning import scan
from headwater.erasure.sought import Sought
from headwater.shop.batches import Batch, Producer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "Zoë Quill-Marigold"
NEEDLES = Sought(texts=(NAME,)).needles()
AROUND = "so much that it is worth packing " * 50


def plain(folder: Path) -> None:
    (folder / "notes.txt").write_text(AROUND + NAME)


def json_in_ascii(folder: Path) -> None:
    (folder / "result.json").write_text(json.dumps({"name": NAME}))


def gzipped(folder: Path) -> None:
    (folder / "old.log.gz").write_bytes(gzip.compress((AROUND + NAME).encode()))


def zipped(folder: Path) -> None:
    with zipfile.ZipFile(folder / "state.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.txt", AROUND + NAME)


def parquet(folder: Path) -> None:
    # Long values have no statistics in the footer, where they could be read without unpacking.
    rows = pa.table({"value": [AROUND.encode(), (AROUND + NAME).encode()], "offset": [1, 2]})
    pq.write_table(rows, folder / "rows.parquet", compression="gzip", write_statistics=False)


def nested_parquet(folder: Path) -> None:
    rows = pa.table({"samples": [[{"value": AROUND + NAME}]]})
    pq.write_table(rows, folder / "rows.parquet", compression="gzip", write_statistics=False)


def manifest(folder: Path) -> None:
    schema = Schema(NestedField(1, "bound", StringType(), required=True))
    output = PyArrowFileIO().new_output(f"{folder}/manifest.avro")
    with AvroOutputFile[Record](output, schema, "manifest_entry", metadata={"avro.codec": "deflate"}) as file:
        file.write_block([Record(AROUND + NAME)])


def segment(folder: Path) -> None:
    batch = Batch()
    batch.add(b"user-1", AROUND.encode(), 0)
    batch.add(b"user-1", (AROUND + NAME).encode(), 0)
    whole = batch.encode(Producer(id=1, epoch=0), 0)
    (folder / "00000000000000000000.log").write_bytes(whole + whole)


def behind_a_hole(folder: Path) -> None:
    with (folder / "sparse").open("wb") as file:
        file.seek(100 * 1024 * 1024)
        file.write(NAME.encode())


KINDS = [plain, json_in_ascii, gzipped, zipped, parquet, nested_parquet, manifest, segment, behind_a_hole]
PACKED = [gzipped, zipped, parquet, nested_parquet, manifest, segment]


@pytest.mark.parametrize("write", KINDS, ids=lambda write: write.__name__)
def test_words_are_found_in(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    (path,) = tmp_path.iterdir()
    found = scan(tmp_path, NEEDLES)
    assert found.found == (path.name,)
    assert found.files == 1
    assert scan(tmp_path, Sought(texts=("somebody else",)).needles()).clean


@pytest.mark.parametrize("write", PACKED, ids=lambda write: write.__name__)
def test_packed_words_would_not_be_found_by_their_letters(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    write(tmp_path)
    (path,) = tmp_path.iterdir()
    assert NAME.encode() not in path.read_bytes()
    assert scan(tmp_path, NEEDLES).unpacked == 1


def test_what_cannot_be_looked_into_is_counted(tmp_path: Path) -> None:
    (tmp_path / "000012.sst").write_bytes(os.urandom(100))
    with zipfile.ZipFile(tmp_path / "4.zip", "w") as archive:
        archive.writestr("000012.sst", os.urandom(100))
    assert scan(tmp_path, NEEDLES).opaque == 2


def test_file_that_only_looks_packed_is_looked_at_as_it_is(tmp_path: Path) -> None:
    for number, magic in enumerate((b"PAR1", b"Obj\x01", b"\x1f\x8b", b"PK\x03\x04")):
        (tmp_path / f"{number}.bin").write_bytes(magic + NAME.encode())
    found = scan(tmp_path, NEEDLES)
    assert len(found.found) == found.opaque == 4


@pytest.mark.parametrize("quote", [True, False])
def test_words_are_found_on_a_page_whichever_way_it_writes_quotation_marks(
    tmp_path: Path, *, quote: bool
) -> None:
    text = 'Zoë "Quill" & Marigold\'s <3'
    (tmp_path / "page.html").write_text(f"<td>{html.escape(text, quote=quote)}</td>")
    assert scan(tmp_path, Sought(texts=(text,)).needles()).found == ("page.html",)


def test_texts_that_are_everywhere_are_not_looked_for() -> None:
    assert Sought(texts=("Al", "", "Bo")).needles() == ()
    assert Sought(texts=("Al",), key=b"the wrapped key").needles() == (b"the wrapped key",)


def test_proof_tells_where_and_not_what(tmp_path: Path) -> None:
    plain(tmp_path)
    told = json.dumps(scan(tmp_path, NEEDLES).to_json(), ensure_ascii=False)
    assert "notes.txt" in told
    assert NAME not in told
