"""PostgreSQL: unpack the server, make its data folder, then roles and databases."""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from headwater.database_roles import ensure_database, ensure_role
from headwater.errors import Refusal
from headwater.local.files import unpack, write_private
from headwater.local.kinds.kind import Kind
from headwater.local.secret_store import load_secrets
from headwater.local.users import User, unprivileged_user

if TYPE_CHECKING:
    from headwater.local.record import Part

OWNERS = ("headwater", "airflow", "shop")  # each role owns the database of its name
CAPTURE = "capture"  # reads the write-ahead log and the tables that it is granted, in the shop's database
PLAIN, READS_THE_LOG = "NOSUPERUSER NOREPLICATION", "NOSUPERUSER REPLICATION"


class Postgres(Kind):
    """The server and what the rest of the platform expects in it."""

    def prepare(self, part: Part) -> None:
        """Unpack the server and run initdb, each once."""
        _unpack(part)
        if not (part.folder / "data/PG_VERSION").exists():
            _initialise(part, unprivileged_user())

    def waiting_for(self, part: Part) -> str:
        """Log in."""
        try:
            _connect(part).close()
        except psycopg.OperationalError as error:
            return f"PostgreSQL does not let us in: {str(error).strip()}"
        return ""

    def settle(self, part: Part) -> None:
        """Make the roles and the database of each; give the roles their passwords anew."""
        passwords = load_secrets(part.home)
        with _connect(part) as connection:
            for owner in OWNERS:
                ensure_role(connection, owner, passwords[f"postgres.{owner}"], PLAIN)
                ensure_database(connection, owner)
            ensure_role(connection, CAPTURE, passwords[f"postgres.{CAPTURE}"], READS_THE_LOG)
            connection.execute(f"GRANT CONNECT ON DATABASE shop TO {CAPTURE}")
            connection.execute("GRANT pg_checkpoint TO headwater")
        with _connect(part, "headwater") as connection:
            # With both, what was erased leaves the write-ahead log at once, and not some day.
            connection.execute("GRANT EXECUTE ON FUNCTION pg_switch_wal() TO headwater")


def _unpack(part: Part) -> None:
    """Unpack the server beside its place, then rename: it is whole or absent."""
    jar = next((part.home / "jvm/postgres").glob("*.jar"))
    stamp, server = part.folder / "server.txt", part.folder / "server"
    if server.exists() and stamp.exists() and stamp.read_text() == jar.name:
        return
    temporary = Path(tempfile.mkdtemp(dir=part.folder, prefix=".server-"))
    with zipfile.ZipFile(jar) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".txz"))
        with (
            archive.open(name) as packed,
            lzma.open(packed) as unpacked,
            tarfile.open(fileobj=unpacked) as files,
        ):
            unpack(files, temporary)
    temporary.chmod(0o755)
    shutil.rmtree(server, ignore_errors=True)
    temporary.rename(server)
    stamp.write_text(jar.name)


def _initialise(part: Part, user: User | None) -> None:
    """Run initdb beside the final place. The password goes through a file: everyone sees a command line."""
    fresh, password = part.folder / "data.new", part.folder / ".superuser"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    if user:
        os.chown(fresh, user.uid, user.gid)
    write_private(password, load_secrets(part.home)["postgres.superuser"], user)
    command = [f"{part.folder}/server/bin/initdb", "-D", str(fresh), "-U", "superuser", "-A", "scram-sha-256"]
    command += [f"--pwfile={password}", "--encoding=UTF8", "--locale=C.UTF-8"]
    try:
        _run_as(user, command, part.folder)
    finally:
        password.unlink()
    fresh.rename(part.folder / "data")


def _run_as(user: User | None, command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
        user=user.uid if user else None,
        group=user.gid if user else None,
        extra_groups=[] if user else None,
    )
    if done.returncode:
        raise Refusal("the data folder of PostgreSQL could not be made", detail=done.stderr.strip()[-800:])


def _connect(part: Part, database: str = "postgres") -> psycopg.Connection:
    password = load_secrets(part.home)["postgres.superuser"]
    return psycopg.connect(
        host="127.0.0.1",
        port=int(part.facts["port"]),
        user="superuser",
        password=password,
        dbname=database,
        autocommit=True,
        connect_timeout=5,
    )
