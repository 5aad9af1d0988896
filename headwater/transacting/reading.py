"""Reading the value of a record as what it should be; whatever is not, says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)


class Malformed(ValueError):
    """A record that is not what it should be; the message does not quote what anybody may have written."""


def read(model: type[Model], value: bytes | None, largest: int) -> Model:
    """Read the value of a record; one that is larger than its topic allows is malformed, too."""
    if value is None:
        raise Malformed("no value")
    if len(value) > largest:
        raise Malformed(f"too large: more than {largest} bytes")
    try:
        return model.model_validate_json(value)
    except ValidationError as error:
        raise Malformed("; ".join(_reasons(error))) from None


def _reasons(error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [f"{'.'.join(map(str, one['loc'])) or 'value'}: {one['msg']}" for one in found]
