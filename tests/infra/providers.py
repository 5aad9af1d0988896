"""Providers for Terraform's tests: from a mirror on this machine, never from the network.

A mirror is named by HEADWATER_TF_MIRROR; by default the first of the folders in which Terraform itself looks
for providers before it downloads them. Without one, the tests that need a provider say that they did not run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.local.tools import terraform_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

AWS = "registry.terraform.io/hashicorp/aws"
NOT_RUN = (
    "NOT RUN: no mirror of Terraform's provider hashicorp/aws on this machine. Set HEADWATER_TF_MIRROR to a "
    f"folder that holds {AWS}, made by `terraform providers mirror <folder>` in infra/environments/aws."
)


def needs_provider(module: Path) -> bool:
    """Say whether a module needs more than Terraform's built-in resources."""
    return "required_providers" in (module / "versions.tf").read_text()


def mirror() -> Path | None:
    """Return the folder that holds the provider; None if there is none."""
    return next((folder for folder in _folders() if (folder / AWS).is_dir()), None)


def environment(data: Path) -> dict[str, str]:
    """Return the variables that Terraform runs with: providers from the mirror only, its data apart."""
    config, place = data / "terraform.rc", mirror()
    sources = f'filesystem_mirror {{ path = "{place}" }}' if place else ""
    config.write_text(f"provider_installation {{\n  {sources}\n}}\n")
    return terraform_environment() | {"TF_DATA_DIR": str(data), "TF_CLI_CONFIG_FILE": str(config)}


def _folders() -> Iterator[Path]:
    if chosen := os.environ.get("HEADWATER_TF_MIRROR"):
        yield Path(chosen)
        return
    yield Path.home() / ".terraform.d/plugins"
    data_homes = [os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"]
    data_homes += (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    yield from (Path(folder) / "terraform/plugins" for folder in data_homes)
