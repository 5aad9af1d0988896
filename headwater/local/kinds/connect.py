"""Kafka Connect: unpack the Debezium plugin, and let the worker keep its own topics."""

from __future__ import annotations

import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourceType,
)

from headwater.local.files import unpack
from headwater.local.kinds.kafka import admin_client
from headwater.local.kinds.kind import Kind

if TYPE_CHECKING:
    from headwater.local.record import Part

PRINCIPAL = "User:connect"


class Connect(Kind):
    """The worker, its plugin and its permissions."""

    def prepare(self, part: Part) -> None:
        """Unpack the plugin; allow the worker its topics and its group, without which it would not start."""
        _unpack_plugin(part)
        with admin_client(part) as admin:
            own = (ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID)
            admin.create_acls([_own(kind, "connect") for kind in own])

    def waiting_for(self, part: Part) -> str:
        """Ask for its health; for some seconds before it is ready, it answers 404."""
        try:
            urllib.request.urlopen(f"{part.facts['url']}/health", timeout=5).close()
        except urllib.error.HTTPError as error:
            return f"Connect answers with status {error.code}."
        except OSError as error:
            return f"Connect does not answer: {error}"
        return ""


def _own(resource: ResourceType, prefix: str) -> ACL:
    """Allow everything on what is named like this: these topics, groups and transactions are its own."""
    return ACL(
        principal=PRINCIPAL,
        host="*",
        operation=ACLOperation.ALL,
        permission_type=ACLPermissionType.ALLOW,
        resource_pattern=ResourcePattern(resource, prefix, ACLResourcePatternType.PREFIXED),
    )


def _unpack_plugin(part: Part) -> None:
    """Unpack the plugin into a folder named after its version; other versions are removed."""
    plugins = part.folder / "plugins"
    archive = next((part.home / "jvm/debezium").glob("*.tar.gz"))
    if (plugins / archive.name).exists():
        return
    fresh = Path(tempfile.mkdtemp(dir=part.folder, prefix=".plugins-"))
    with tarfile.open(archive) as files:
        unpack(files, fresh / archive.name)
    if plugins.exists():
        plugins.rename(Path(tempfile.mkdtemp(dir=part.folder, prefix=".old-")) / "plugins")
    fresh.rename(plugins)
