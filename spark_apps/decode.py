"""From bytes to events: every record is either an event of the declared shape, or has a reason why not.

`decode` drops nothing. It adds `event` (a struct with the topic's fields, times still in epoch milliseconds)
and `reason`, which is null for a good event. Whoever reads the result keeps the good ones; the quarantine
keeps the others, with their raw bytes.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import clocks

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headwater.topics import Topic, TopicField

    Rule = tuple[Column, Column]  # (broken, reason)

# What a field of a topic is while it is still JSON. Times are whole milliseconds: no text to parse.
JSON_TYPES = {
    "string": "STRING",
    "long": "BIGINT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
    "timestamp": "BIGINT",
}
# The types a JSON value may have to be taken for a field of the declared type.
ACCEPTED_TYPES = {
    "string": ("STRING",),
    "long": ("BIGINT",),
    "double": ("BIGINT", "DOUBLE", "DECIMAL"),
    "boolean": ("BOOLEAN",),
    "timestamp": ("BIGINT",),
}
UNPARSED = "_unparsed"
JSON_OPTIONS = {
    "mode": "PERMISSIVE",
    "columnNameOfCorruptRecord": UNPARSED,
    # JSON has no NaN; a producer that writes one is broken and should hear of it.
    "allowNonNumericNumbers": "false",
}


def decode(records: DataFrame, topic: Topic) -> DataFrame:
    """Add `event` and `reason` to records as Kafka gives them (key, value, partition, offset, timestamp)."""
    # The detour by an array of one keeps the optimizer from parsing once for each use of a field.
    event = F.explode(F.array(F.from_json(_text(), _json_schema(topic), JSON_OPTIONS)))
    return records.select("*", event.alias("event")).withColumn("reason", _reason(topic))


def _json_schema(topic: Topic) -> str:
    fields = [f"{name} {JSON_TYPES[field.type]}" for name, field in topic.fields.items()]
    return ", ".join([*fields, f"{UNPARSED} STRING"])


def _text() -> Column:
    return F.col("value").cast("string")


def _reason(topic: Topic) -> Column:
    """Return the first rule that a record breaks; the cheap and general ones come first."""
    rules = [*_record_rules(topic), *_shape_rules(topic)]
    rules += [rule for name, field in topic.fields.items() for rule in _field_rules(name, field)]
    rules += [] if topic.is_changelog else clocks.rules()
    broken, reason = rules[0]
    first_broken = F.when(broken, reason)
    return reduce(lambda chain, rule: chain.when(*rule), rules[1:], first_broken)


def _record_rules(topic: Topic) -> list[Rule]:
    size = F.octet_length("value")
    nothing = F.col("value").isNull()
    # In a changelog no value is a message of its own: whatever had this key is gone.
    no_value = (
        (F.col("key").isNull(), F.lit("no key")) if topic.is_changelog else (nothing, F.lit("no value"))
    )
    farewell = [(nothing, F.lit(None))] if topic.is_changelog else []
    return [
        no_value,
        *farewell,
        (size == 0, F.lit("empty value")),
        (size > topic.largest_event, F.lit(f"too large: more than {topic.largest_event} bytes")),
        (~F.is_valid_utf8(_text()), F.lit("not UTF-8")),
    ]


def _shape_rules(topic: Topic) -> list[Rule]:
    """Tell what is no JSON object, or more than one, or one whose fields have the wrong types.

    Spark's fast parser forgives: it takes 5 for the text "5", and ignores what follows the first object. So a
    record that does not look plain gets a second look by a parser that keeps the types; most never need it.
    """
    doubtful = ~_looks_plain(topic)
    # In brackets, because this parser forgives trailing text as well; after an object it cannot stand there.
    values = F.try_parse_json(F.concat(F.lit("["), _text(), F.lit("]")))
    only = F.try_variant_get(values, "$[0]", "variant")
    is_object = F.coalesce(F.schema_of_variant(only).startswith("OBJECT"), F.lit(False))
    another = F.try_variant_get(values, "$[1]", "variant").isNotNull()
    wrong_types = F.concat_ws("; ", *(_wrong_type(only, name, f) for name, f in topic.fields.items()))
    return [
        (doubtful & values.isNull(), F.lit("not JSON")),
        (doubtful & (another | ~is_object), F.lit("not one JSON object")),
        (doubtful & (wrong_types != ""), F.concat(F.lit("wrong type: "), wrong_types)),
    ]


def _looks_plain(topic: Topic) -> Column:
    """Say whether a record is one flat object with its texts in quotes, by looking only at its characters."""
    parsed = F.col("event").isNotNull() & F.col(f"event.{UNPARSED}").isNull()
    up_to_the_first_end = F.octet_length(F.substring_index(_text(), "}", 1)) + 1
    ends_once = up_to_the_first_end == F.octet_length("value")
    texts = [_quoted(name, field) for name, field in topic.fields.items() if field.type == "string"]
    return reduce(lambda all_, one: all_ & one, texts, parsed & ends_once)


def _quoted(name: str, field: TopicField) -> Column:
    text = _text()
    quoted = F.contains(text, F.lit(f'"{name}":"')) | F.contains(text, F.lit(f'"{name}": "'))
    return quoted | ~F.contains(text, F.lit(f'"{name}"')) if field.optional else quoted


def _wrong_type(value: Column, name: str, field: TopicField) -> Column:
    found = F.schema_of_variant(F.try_variant_get(value, f"$.{name}", "variant"))
    kind = F.regexp_extract(found, "^[A-Z]+", 0)  # DECIMAL(3,1) and OBJECT<…> are told by their first word
    fits = kind.isin(*ACCEPTED_TYPES[field.type], "VOID")
    return F.when(~fits, F.concat(F.lit(f"{name} is "), F.lower(kind), F.lit(f", not {field.type}")))


def _field_rules(name: str, field: TopicField) -> list[Rule]:
    value = F.col(f"event.{name}")
    rules = []
    if not field.optional:
        rules.append((value.isNull(), F.lit(f"missing field: {name}")))
    if field.type == "double":
        endless = value.isin(float("inf"), float("-inf")) | F.isnan(value)
        rules.append((endless, F.lit(f"not a number: {name}")))
    return rules
