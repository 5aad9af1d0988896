"""The jars: what each is, by what it says of itself.

Many jars carry their own Maven description; others say something in their manifest, or in the text of their
licence, or nothing.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = re.compile(r"(.+)-(\d[\w.]*(?:-[A-Za-z][\w.]*)*)\.jar")
TITLES = {"Apache License": "Apache-2.0", "MIT License": "MIT", "Eclipse Public License": "EPL"}


def components(folder: Path) -> list[dict[str, Any]]:
    """Describe every jar below a folder, and in the archives there, in the words of CycloneDX."""
    found = {
        name: _component(name, content) for path in sorted(folder.rglob("*")) for name, content in _jars(path)
    }
    return [found[name] for name in sorted(found)]


def _jars(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.suffix == ".jar":
        yield path.name, path.read_bytes()
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.name.endswith(".jar") and (file := archive.extractfile(member)):
                    yield Path(member.name).name, file.read()


def _component(file: str, content: bytes) -> dict[str, Any]:
    matched = NAME.fullmatch(file)
    name, version = matched.groups() if matched else (file.removesuffix(".jar"), "")
    with zipfile.ZipFile(BytesIO(content)) as jar:
        group, licence = _maven(jar) or ("", _manifest(jar))
        licence = licence or _text(jar)
    licences = [{"license": {"name": licence}}] if licence else []
    place = f"{group}/" if group else ""
    return {
        "type": "library",
        "bom-ref": f"jar:{file}",
        "group": group,
        "name": name,
        "version": version,
        "purl": f"pkg:maven/{place}{name}@{version}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}],
        "licenses": licences,
    }


def _maven(jar: zipfile.ZipFile) -> tuple[str, str] | None:
    """Return group and licence from the description inside; None without one, or with several of them."""
    poms = [entry for entry in jar.namelist() if re.fullmatch(r"META-INF/maven/.+/pom\.xml", entry)]
    if len(poms) != 1:
        return None
    project = ElementTree.fromstring(jar.read(poms[0]))
    licence = project.findtext("{*}licenses/{*}license/{*}name") or _manifest(jar)
    return poms[0].split("/")[2], " ".join(licence.split())


def _manifest(jar: zipfile.ZipFile) -> str:
    try:
        text = (
            jar.read("META-INF/MANIFEST.MF").decode(errors="replace").replace("\r\n ", "").replace("\n ", "")
        )
    except KeyError:
        return ""
    found = re.search(r"^Bundle-License: *(.+?)\s*$", text, re.MULTILINE)
    return found[1].split(";")[0].strip('"') if found else ""


def _text(jar: zipfile.ZipFile) -> str:
    """Return the licence whose text the jar carries."""
    texts = [entry for entry in jar.namelist() if re.fullmatch(r"(META-INF/)?LICEN[SC]E(\.\w+)?", entry)]
    text = jar.read(texts[0]).decode(errors="replace") if texts else ""
    return next((licence for title, licence in TITLES.items() if title in text), "")
