"""From bytes to events: every record is either an event of the declared shape, or has a reason why not.

`decode` drops nothing. It adds `event` (a struct with the topic's fields, times still in epoch milliseconds)
and `reason`, which is null for a good event. Whoever reads the result keeps the good ones; the quarantine
keeps the others, with their raw bytes.

This is also the door of the lake: what is personal passes it sealed, or not at all. So no view, state or
checkpoint behind it holds a person's words; only the quarantine and the cold log can, which erasing cleans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import sealed
from spark_apps import clocks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.topics import Topic, TopicField

    Rule = tuple[str, str]  # SQL: (broken, reason)

# What a field of a topic is while it is still JSON. Times are whole milliseconds: no text to parse.
JSON_TYPES = {
    "string": "STRING",
    "long": "BIGINT",
    "double": "DOUBLE",
    "decimal": "STRING",
    "boolean": "BOOLEAN",
    "timestamp": "BIGINT",
}
# The types a JSON value may have to be taken for a field of the declared type.
ACCEPTED_TYPES = {
    "string": ("STRING",),
    "long": ("BIGINT",),
    "double": ("BIGINT", "DOUBLE", "DECIMAL"),
    "decimal": ("STRING",),
    "boolean": ("BOOLEAN",),
    "timestamp": ("BIGINT",),
}
# What the capture adds to a row: its place in the database's log, the time of its commit, and whether it is
# no more; then all but its key is null, or empty, or zero.
CAPTURED = {"lsn": "BIGINT", "committed_at": "BIGINT", "__deleted": "STRING"}
DELETED = "coalesce(event.__deleted = 'true', false)"
TEXT = "CAST(value AS STRING)"
JSON_OPTIONS = {
    # A value that does not fit is null, and what is no JSON has nothing but nulls: both get a second look. A
    # column that says so, too, would cost every record a copy of itself.
    "mode": "PERMISSIVE",
    # JSON has no NaN; a producer that writes one is broken and should hear of it.
    "allowNonNumericNumbers": "false",
}


def decode(records: DataFrame, topic: Topic) -> DataFrame:
    """Add `event` and `reason` to records as Kafka gives them (key, value, partition, offset, timestamp)."""
    # The detour by an array of one keeps the optimizer from parsing once for each use of a field.
    event = F.explode(F.array(F.from_json(F.expr(TEXT), _json_schema(topic), JSON_OPTIONS)))
    return records.select("*", event.alias("event")).withColumn("reason", F.expr(_reason(topic)))


def _json_schema(topic: Topic) -> str:
    types = {name: JSON_TYPES[field.type] for name, field in topic.fields.items()}
    types |= CAPTURED if topic.is_changelog else {}
    return ", ".join(f"{name} {kind}" for name, kind in types.items())


def _reason(topic: Topic) -> str:
    """Return SQL for the first rule that a record breaks; the cheap and general ones come first.

    Most records break none, and that is all the compiled code asks. Why one is broken is found out inside a
    function of higher order, which Spark does not compile: as code it would be so long that the JVM would not
    compile it either, and every record would pay for the few.

    SQL, because each call of a function of Spark's Python is a message to the JVM, and there are hundreds.
    """
    on_records, on_words = _record_rules(topic), _privacy_rules(topic)
    on_fields = [rule for name, field in topic.fields.items() for rule in _field_rules(name, field)]
    on_fields += [] if topic.is_changelog else clocks.rules()
    farewell = [(DELETED, "NULL")] if topic.is_changelog else []
    quick = [broken for broken, _ in on_records + on_words + on_fields]
    suspicious = " OR ".join([*quick, f"NOT ({_is_plain(topic)})"])
    rules = [*on_records, *_shape_rules(topic), *on_words, *farewell, *on_fields]
    first = f"CASE {' '.join(f'WHEN {broken} THEN {reason}' for broken, reason in rules)} END"
    return f"CASE WHEN {suspicious} THEN transform(array(0), _ -> {first})[0] END"


def _record_rules(topic: Topic) -> list[Rule]:
    # In a changelog no value is a message of its own: whatever had this key is gone.
    no_value = (
        [("key IS NULL", "'no key'"), ("value IS NULL", "NULL")]
        if topic.is_changelog
        else [("value IS NULL", "'no value'")]
    )
    size, most = "octet_length(value)", topic.largest_event
    return [
        *no_value,
        (f"{size} = 0", "'empty value'"),
        (f"{size} > {most}", f"'too large: more than {most} bytes'"),
        (f"NOT is_valid_utf8({TEXT})", "'not UTF-8'"),
    ]


def _privacy_rules(topic: Topic) -> list[Rule]:
    """Tell what is personal and in the clear. Even a farewell must not say it: it is remembered, too.

    The capture writes a second farewell behind each, without a value; that one is heard.
    """
    return [
        (f"NOT event.{name} RLIKE '{sealed.PATTERN}'", f"'not sealed: {name}'") for name in topic.personal
    ]


def _shape_rules(topic: Topic) -> list[Rule]:
    """Tell what is no JSON object, or more than one, or one whose fields have the wrong types.

    Spark's fast parser forgives: it takes 5 for the text "5", and ignores what follows the first object. So a
    record that is not plain gets a second look by a parser that keeps the types; most never need it.
    """
    # In brackets, because this parser forgives trailing text as well; after an object it cannot stand there.
    values = f"try_parse_json(concat('[', {TEXT}, ']'))"
    only = f"try_variant_get({values}, '$[0]', 'variant')"
    is_object = f"coalesce(startswith(schema_of_variant({only}), 'OBJECT'), false)"
    another = f"try_variant_get({values}, '$[1]', 'variant') IS NOT NULL"
    wrong = f"concat_ws('; ', {', '.join(_wrong_type(values, name, f) for name, f in topic.fields.items())})"
    return [
        (f"{values} IS NULL", "'not JSON'"),
        (f"{another} OR NOT {is_object}", "'not one JSON object'"),
        (f"{wrong} != ''", f"concat('wrong type: ', {wrong})"),
    ]


def _is_plain(topic: Topic) -> str:
    """Say whether a record is one flat object with its texts in quotes, by looking only at its characters.

    A field that must be there and has no value is not looked for: its own rule is broken.
    """
    ends_once = f"octet_length(substring_index({TEXT}, '}}', 1)) + 1 = octet_length(value)"
    told = [_told(name, field) for name, field in topic.fields.items()]
    return " AND ".join(["event IS NOT NULL", ends_once, *(f"({rule})" for rule in told if rule)])


def _told(name: str, field: TopicField) -> str:
    """Say whether a field was told as it should be: a text in quotes, and what has no value not at all."""
    quoted = " OR ".join(f'contains({TEXT}, \'"{name}":{space}"\')' for space in ("", " "))
    not_told = f"NOT contains({TEXT}, '\"{name}\"') OR contains({TEXT}, '\"{name}\":null')"
    if JSON_TYPES[field.type] != "STRING":
        return f"event.{name} IS NOT NULL OR {not_told}" if field.optional else ""
    return f"CASE WHEN event.{name} IS NULL THEN {not_told} ELSE {quoted} END" if field.optional else quoted


def _wrong_type(values: str, name: str, field: TopicField) -> str:
    """Return SQL that names a field of the wrong type; DECIMAL(3,1) and OBJECT<…> by their first word."""
    found = f"schema_of_variant(try_variant_get({values}, '$[0].{name}', 'variant'))"
    kind = f"regexp_extract({found}, '^[A-Z]+', 0)"
    fitting = ", ".join(f"'{accepted}'" for accepted in (*ACCEPTED_TYPES[field.type], "VOID"))
    told = f"concat('{name} is ', lower({kind}), ', not {field.type}')"
    return f"CASE WHEN {kind} NOT IN ({fitting}) THEN {told} END"


def _field_rules(name: str, field: TopicField) -> list[Rule]:
    value = f"event.{name}"
    rules = []
    if not field.optional:
        rules.append((f"{value} IS NULL", f"'missing field: {name}'"))
    if field.type == "double":
        endless = f"isnan({value}) OR abs({value}) = double('infinity')"
        rules.append((endless, f"'not a number: {name}'"))
    if field.type == "decimal":
        no_number = f"{value} IS NOT NULL AND try_cast({value} AS {clocks.EVENT_TYPES['decimal']}) IS NULL"
        rules.append((no_number, f"'not a number: {name}'"))
    return rules
