"""A part as Terraform describes it: files, programs, and facts about it."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict


class Program(BaseModel):
    """One supervised program of a part. The command is an argument list: no shell takes part."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: list[str]
    environment: dict[str, str]
    port: int | None
    stop_signal: str
    stop_seconds: int


class Part(BaseModel):
    """One part of an instance, as rendered by `infra/modules/local/process`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    home: Path
    files: dict[str, str]
    programs: dict[str, Program]
    facts: dict[str, str]
    unprivileged: bool
    deadline: int

    @property
    def folder(self) -> Path:
        """The folder of the part's own files."""
        return self.home / self.name


def record_path(home: Path, name: str) -> Path:
    """Return where the record of a started part is kept."""
    return home / "parts" / f"{name}.json"


def started_parts(home: Path) -> list[Part]:
    """Return the parts that should be running, in the order in which they need each other."""
    parts = [Part.model_validate_json(path.read_text()) for path in (home / "parts").glob("*.json")]
    return sorted(parts, key=lambda part: ORDER.index(part.name))


# Those that Terraform makes, then those that `make up` adds.
INFRASTRUCTURE = ["postgres", "kafka", "spark", "connect", "airflow"]
ORDER = [*INFRASTRUCTURE, "notifier", "carts", "shop"]
