"""The variables of an instance: what was chosen when it was first made, kept in its home.

Ports and sizes are remembered, so that `make up` in another shell, without the same environment variables,
does not rebuild the instance. TF_VAR_brokers, TF_VAR_workers and TF_VAR_app_properties choose sizes;
TF_VAR_notification_channels how people hear of alerts; HEADWATER_PORT_BASE the ports.
Standard library only: the checks before the set-up use it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from headwater.addresses import refuse_credentials
from headwater.errors import Refusal
from headwater.local.ports import port_base

if TYPE_CHECKING:
    from pathlib import Path

FILE = "instance.tfvars.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """The variables given to Terraform; names as in `infra/environments/local/variables.tf`."""

    instance: str
    home: str
    port_base: int
    brokers: int = 1
    workers: int = 1
    app_properties: dict[str, str] = field(default_factory=dict)
    notification_channels: dict[str, dict[str, str]] = field(default_factory=lambda: {"log": {}})


def choose_variables(home: Path) -> Variables:
    """Return the variables of the instance at `home`: remembered ones, changed as the environment asks."""
    known = remembered(home)
    if known is None:
        known = Variables(instance=home.name, home=str(home), port_base=port_base(home.name))
    elif "HEADWATER_PORT_BASE" in os.environ:
        known = replace(known, port_base=port_base(home.name))
    brokers, workers = _number("brokers", known.brokers), _number("workers", known.workers)
    _refuse_other_quorum(home, known.brokers, brokers)
    return replace(
        known,
        home=str(home),
        brokers=brokers,
        workers=workers,
        app_properties=_properties(known.app_properties),
        notification_channels=_channels(known.notification_channels),
    )


def remembered(home: Path) -> Variables | None:
    """Return the variables that an instance was made with, or None if there is none."""
    path = home / FILE
    return Variables(**json.loads(path.read_text())) if path.exists() else None


def remember(home: Path, variables: Variables) -> None:
    """Keep the variables of an instance."""
    (home / FILE).write_text(json.dumps(asdict(variables), indent=2) + "\n")


def _number(name: str, default: int) -> int:
    text = os.environ.get(f"TF_VAR_{name}", str(default))
    if not text.isdecimal():
        raise Refusal(
            f'"{text}" is not a number of {name}', hint=f"Set TF_VAR_{name} to a number, or leave it out."
        )
    return int(text)


def _properties(default: dict[str, str]) -> dict[str, str]:
    text = os.environ.get("TF_VAR_app_properties")  # noqa: SIM112 -- as Terraform spells it
    if text is None:
        return default
    try:
        return _texts(json.loads(text))
    except (ValueError, AttributeError) as error:
        raise Refusal(
            "TF_VAR_app_properties is not a JSON object",
            detail=f"{text!r}: {error}",
            hint="""Write it like '{"spark.executor.memory": "2g"}', or leave it out.""",
        ) from error


def _channels(default: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    text = os.environ.get("TF_VAR_notification_channels")  # noqa: SIM112 -- as Terraform spells it
    if text is None:
        return default
    try:
        channels = {str(name): _texts(chosen) for name, chosen in json.loads(text).items()}
    except (ValueError, AttributeError) as error:
        raise Refusal(
            "TF_VAR_notification_channels is not a JSON object of objects",
            detail=str(error),  # and not the text: an address may be a secret
            hint="""Write it like '{"log": {}, "webhook": {"url": "http://127.0.0.1:8000/"}}'.""",
        ) from error
    for settings in channels.values():
        refuse_credentials(settings.get("url", ""))
    return channels


def _texts(properties: dict[str, object]) -> dict[str, str]:
    return {str(name): str(value) for name, value in properties.items()}


def _refuse_other_quorum(home: Path, before: int, after: int) -> None:
    if before != after and (home / "kafka/cluster-id").exists():
        raise Refusal(
            f"the number of brokers cannot change from {before} to {after}",
            detail="The storage of the brokers was formatted for a quorum of that size.",
            hint="Make another instance (HEADWATER_INSTANCE), or remove all data with `make clean` first.",
        )
