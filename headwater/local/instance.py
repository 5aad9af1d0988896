"""An instance: its folders, its secrets, its supervisord. Called by Terraform, before and after all parts."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from headwater.local import daemon
from headwater.local.entry import run
from headwater.local.jvm import link_jvm_parts
from headwater.local.secret_store import load_secrets
from headwater.settings import instance_home

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = (
    "artifacts",
    "checkpoints",
    "logs",
    "parts",
    "supervisor",
    "supervisor/conf.d",
    "terraform",
    "warehouse",
)


def start_instance(home: Path) -> None:
    """Make the folders and secrets of an instance and start its supervisord. Safe to repeat."""
    make_folders(home)
    load_secrets(home)
    link_jvm_parts(home)
    daemon.start_daemon(home)


def stop_instance(home: Path) -> None:
    """Stop the instance's supervisord and everything it has started, and forget what ran. Data stays."""
    daemon.stop_daemon(home)
    for kept in (*(home / "parts").glob("*.json"), *(home / "supervisor/conf.d").glob("*.conf")):
        kept.unlink()


def make_folders(home: Path) -> None:
    """Make the folders of an instance. Nobody else may list the home; PostgreSQL's user may pass through."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
    home.chmod(0o711 if os.geteuid() == 0 else 0o700)
    for folder in FOLDERS:
        (home / folder).chmod(0o700)


if __name__ == "__main__":
    verbs = {"start": start_instance, "stop": stop_instance}
    sys.exit(run(lambda: verbs[sys.argv[1]](instance_home())))
