"""Every record is an event of the declared shape, or has a reason why not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from headwater.topics import load_topics
from spark_apps.decode import decode
from tests.log_records import at, milliseconds, page_view, record, records
from tests.people import SOMEBODY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOPIC = load_topics()["page_views"]
DAY = 24 * 60
GOOD = json.dumps(page_view()).encode()

BAD: dict[str, tuple[bytes | dict[str, Any] | None, str]] = {
    "null value": (None, "no value"),
    "empty value": (b"", "empty value"),
    "blank value": (b"  ", "not one JSON object"),
    "cut off": (GOOD[:-9], "not JSON"),
    "not UTF-8": (GOOD.replace(b"/home", b"/caf\xe9"), "not UTF-8"),
    "a list": (b"[" + GOOD + b"]", "not one JSON object"),
    "a number": (b"5", "not one JSON object"),
    "two objects": (GOOD + b"\n" + GOOD, "not JSON"),
    "two objects with a comma": (GOOD + b"," + GOOD, "not one JSON object"),
    "trailing text": (GOOD + b"}", "not JSON"),
    "nested too deep": (b'{"a":' * 5000 + b"1" + b"}" * 5000, "not JSON"),
    "NaN": (GOOD.replace(b'"sent_at": 1', b'"sent_at": NaN, "x": 1'), "not JSON"),
    "number for text": (page_view(page=42), "wrong type: page is bigint, not string"),
    "object for text": (page_view(page={"a": 1}), "wrong type: page is object, not string"),
    "text for time": (page_view(occurred_at="noon"), "wrong type: occurred_at is string, not timestamp"),
    "fraction for time": (page_view(sent_at=1.5), "wrong type: sent_at is decimal, not timestamp"),
    "true for text": (page_view(page=True), "wrong type: page is boolean, not string"),
    "negative number for text": (page_view(page=-1), "wrong type: page is bigint, not string"),
    "list for text": (page_view(page=["/home"]), "wrong type: page is array, not string"),
    "single quotes": (GOOD.replace(b'"/home"', b"'/home'"), "not JSON"),
    "number beyond all bounds for text": (
        GOOD.replace(b'"/home"', b"1e400"),
        "wrong type: page is double, not string",
    ),
    "number for an optional text": (page_view(referrer=1), "wrong type: referrer is bigint, not string"),
    "missing field": ({k: v for k, v in page_view().items() if k != "page"}, "missing field: page"),
    "null field": (page_view(page=None), "missing field: page"),
    "too large": (page_view(page="x" * 900_000), "too large: more than 256000 bytes"),
    "from the future": (
        page_view(occurred_at=milliseconds(at(minutes=DAY + 1))),
        "from the future: occurred after it was sent",
    ),
    "year 9999": (
        page_view(occurred_at=253402300799000, sent_at=253402300799000),
        "clock off: sent a day or more after it was received",
    ),
    "clock a day slow": (
        page_view(occurred_at=milliseconds(at(minutes=-DAY)), sent_at=milliseconds(at(minutes=-DAY))),
        "clock off: sent a day or more before it was received",
    ),
    "largest number": (page_view(sent_at=2**63 - 1), "clock off: sent a day or more after it was received"),
    "larger than any number": (
        page_view(sent_at=10**30),
        "wrong type: sent_at is decimal, not timestamp",
    ),
    "smallest number": (page_view(occurred_at=-(2**63)), "from the future: occurred after it was sent"),
    "held back for two days": (
        page_view(occurred_at=milliseconds(at(minutes=-2 * DAY))),
        "too old: held back for more than a day",
    ),
}

GOOD_ONES: dict[str, bytes | dict[str, Any]] = {
    "plain": page_view(),
    "compact": json.dumps(page_view(), separators=(",", ":")).encode(),
    "odd spacing": json.dumps(page_view(), separators=(" , ", " :  ")).encode(),
    "line end": GOOD + b"\n",
    "field nobody declared": page_view(extra={"page": 5}),
    "optional field given": page_view(referrer="/search"),
    "optional field null": page_view(referrer=None),
    "text like a number": page_view(page="42"),
    "text like a list": page_view(page="[/home]"),
    "empty text": page_view(page=""),
    "braces in a text": page_view(page='/a}{"page":5}'),
    "beyond ASCII": json.dumps(page_view(page="/café/日本"), ensure_ascii=False).encode(),
}


@pytest.fixture(scope="module")
def reasons(spark: SparkSession) -> dict[str, str | None]:
    """Decode all of them in one go: the answer must not depend on the neighbours either."""
    names = [*BAD, *GOOD_ONES]
    values = [value for value, _ in BAD.values()] + list(GOOD_ONES.values())
    rows = [record(value, offset=offset) for offset, value in enumerate(values)]
    decoded = decode(records(spark, rows), TOPIC).select("offset", "reason").collect()
    return {names[row.offset]: row.reason for row in decoded}


@pytest.mark.parametrize("name", BAD)
def test_bad_record_has_its_reason(reasons: dict[str, str | None], name: str) -> None:
    assert reasons[name] == BAD[name][1]


@pytest.mark.parametrize("name", GOOD_ONES)
def test_good_record_has_no_reason(reasons: dict[str, str | None], name: str) -> None:
    assert reasons[name] is None


def test_no_record_is_dropped(reasons: dict[str, str | None]) -> None:
    assert len(reasons) == len(BAD) + len(GOOD_ONES)


COMMANDS = load_topics()["cart_commands"]
OPTIONAL_NUMBERS: dict[str, tuple[bytes, str | None]] = {
    "given": (b',"quantity":2', None),
    "left out": (b"", None),
    "null": (b',"quantity":null', None),
    "null after a space": (b',"quantity": null', None),
    "text": (b',"quantity":"two"', "wrong type: quantity is string, not long"),
    "text before another field": (
        b',"quantity":"two","product_id":"p1"',
        "wrong type: quantity is string, not long",
    ),
    "fraction": (b',"quantity":1.5', "wrong type: quantity is decimal, not long"),
}


def test_optional_number_has_the_right_type_or_is_not_there(spark: SparkSession) -> None:
    texts = [name for name, field in COMMANDS.fields.items() if field.type == "string" and not field.optional]
    times = {name: page_view()[name] for name in ("occurred_at", "sent_at")}
    command = json.dumps({name: "x" for name in texts} | times, separators=(",", ":")).encode()[:-1]
    rows = [
        record(command + told + b"}", offset=offset)
        for offset, (told, _) in enumerate(OPTIONAL_NUMBERS.values())
    ]
    found = decode(records(spark, rows), COMMANDS).orderBy("offset").select("reason").collect()
    reasons = dict(zip(OPTIONAL_NUMBERS, (row.reason for row in found), strict=True))
    assert reasons == {name: reason for name, (_, reason) in OPTIONAL_NUMBERS.items()}


PROFILES = load_topics()["user_changelog"]
PERSONAL: dict[str, tuple[dict[str, Any], str | None]] = {
    "sealed": ({}, None),
    "of somebody who was erased": ({"name": "erased"}, None),
    "no text, in which nothing could be hidden": ({"name": ""}, None),
    "in the clear": ({"name": "Ada Byron"}, "not sealed: name"),
    "looks sealed": ({"name": "sealed:1:Ada Byron, Countess of Lovelace"}, "not sealed: name"),
    "too short to be sealed": ({"name": "sealed:1:Ada"}, "not sealed: name"),
    "ends like what is sealed": ({"name": f"Ada {SOMEBODY}"}, "not sealed: name"),
    "in another line": ({"name": f"{SOMEBODY}\nAda"}, "not sealed: name"),
    "farewell": ({"name": None, "__deleted": "true"}, None),
    "farewell to a sealed row": ({"__deleted": "true"}, None),
    "farewell in the clear": ({"name": "Ada Byron", "__deleted": "true"}, "not sealed: name"),
    "number": ({"name": 5}, "wrong type: name is bigint, not string"),
    "missing": ({"name": None}, "missing field: name"),
    "in a field that is not personal": ({"country": "Ada Byron"}, None),
}


def test_what_is_personal_passes_only_if_it_is_sealed(spark: SparkSession) -> None:
    profile = {"user_id": "u1", "name": SOMEBODY, "country": "GB", "plan": "pro"}
    rows = [record(profile | changes, offset=offset) for offset, (changes, _) in enumerate(PERSONAL.values())]
    found = decode(records(spark, rows), PROFILES).orderBy("offset").select("reason").collect()
    reasons = dict(zip(PERSONAL, (row.reason for row in found), strict=True))
    assert reasons == {name: reason for name, (_, reason) in PERSONAL.items()}
