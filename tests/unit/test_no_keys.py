"""No file of the repository holds anything that looks like a password or a key."""

from __future__ import annotations

import subprocess

import pytest

from headwater.local.secret_store import GENERATORS
from headwater.settings import REPOSITORY
from tests.keys_in_text import keys_in

# Made up here, in two pieces: this file is looked through, too.
LOOK_LIKE_KEYS = {
    "key of AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "token of GitHub": "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA",
    "signed token": "eyJ" + "hbGciOiJIUzM4NCJ9.eyJ" + "zdWIiOiJoZWFkd2F0ZXIifQ.c2lnbmF0dXJlLW9mLWl0",
    "address": "postgres://" + "shop:correct-horse@db.example/shop",
}


@pytest.mark.parametrize("name", GENERATORS)
def test_what_is_generated_here_would_be_found(name: str) -> None:
    texts = [f'{{"{name}": "{GENERATORS[name]()}"}}' for _ in range(50)]
    assert len([text for text in texts if keys_in(text)]) >= 45  # a few look like names by chance


@pytest.mark.parametrize("text", LOOK_LIKE_KEYS.values(), ids=LOOK_LIKE_KEYS)
def test_what_others_give_out_would_be_found(text: str) -> None:
    assert keys_in(f"before {text} after")


def test_no_tracked_file_holds_a_key() -> None:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    files = [REPOSITORY / name for name in listed.stdout.split("\0") if name]
    texts = {file: file.read_bytes().decode(errors="replace") for file in files if file.is_file()}
    assert len(texts) > 500
    found = {str(file.relative_to(REPOSITORY)): keys_in(text) for file, text in texts.items()}
    assert {file: keys for file, keys in found.items() if keys} == {}
