"""Reading the topics' files; every refusal names the file and the field."""

from __future__ import annotations

import difflib
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from headwater.errors import Refusal
from headwater.topics.topic import Topic

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from pydantic_core import ErrorDetails

PACKAGE = "spark_apps.topics"
SUFFIX = ".yaml"


def load_topics(folder: Path | None = None) -> dict[str, Topic]:
    """Read all topics, by name: by default those of the shop, which travel inside the artifact."""
    source: Traversable = folder or resources.files(PACKAGE)
    files = {file.name: file for file in source.iterdir() if file.name.endswith(SUFFIX)}
    topics = (load_topic(name, files[name].read_text(encoding="utf-8")) for name in sorted(files))
    return {topic.name: topic for topic in topics}


def load_topic(file: str, text: str) -> Topic:
    """Read one topic from the text of its file."""
    declared = _read_yaml(file, text)
    if "name" in declared:
        raise Refusal(f'{file}: unexpected field "name"', detail="A topic is named after its file.")
    try:
        return Topic.model_validate({**declared, "name": file.removesuffix(SUFFIX)})
    except ValidationError as error:
        raise _refusal(file, error.errors(include_url=False)) from None


class _StrictLoader(yaml.SafeLoader):
    """YAML, where a key that is given twice is a mistake and not silently the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if twice := sorted({str(key) for key in keys if keys.count(key) > 1}):
            raise yaml.MarkedYAMLError(
                problem=f'field "{twice[0]}" is given twice', problem_mark=node.start_mark
            )
        return super().construct_mapping(node, deep)


def _read_yaml(file: str, text: str) -> dict[str, Any]:
    try:
        declared = yaml.load(text, Loader=_StrictLoader)
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise Refusal(f"{file}: {error.problem}{line}") from None
    except yaml.YAMLError as error:
        raise Refusal(f"{file}: not readable as YAML", detail=str(error)) from None
    if not isinstance(declared, dict):
        raise Refusal(
            f"{file}: not a declaration of a topic", detail="Expected fields such as `partitions: 3`."
        )
    return declared


def _refusal(file: str, errors: list[ErrorDetails]) -> Refusal:
    """Tell all mistakes at once; a misspelt field first, because it makes the right one look missing."""
    errors = sorted(errors, key=lambda error: error["type"] != "extra_forbidden")
    sentences = [_sentence(error) for error in errors]
    return Refusal(f"{file}: {sentences[0]}", detail="\n".join(f"{file}: {more}" for more in sentences[1:]))


def _sentence(error: ErrorDetails) -> str:
    """Say one mistake in the words of the file: which field, and what is wrong with it."""
    field = _path(error["loc"])
    match error["type"]:
        case "extra_forbidden":
            return f'unexpected field "{field}"{_nearest(field)}'
        case "missing":
            return f'missing field "{field}"'
        case "value_error":
            message = str(error["ctx"]["error"])
            return f'field "{field}": {message}' if field else message
        case _:
            return f'field "{field}": {_lower(error["msg"])}, not {error["input"]!r}'


def _path(place: tuple[int | str, ...]) -> str:
    """Name a field as the file does: neither a position in a list nor the parts of "string?" are fields."""
    schema_field = place[:2] if place[:1] == ("schema",) else place
    return ".".join(part for part in schema_field if isinstance(part, str) and part != "[key]")


def _nearest(field: str) -> str:
    known = [info.alias or name for name, info in Topic.model_fields.items()]
    nearest = difflib.get_close_matches(field, known, n=1)
    return f' (did you mean "{nearest[0]}"?)' if nearest else ""


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
