"""One file that holds the whole database as it was at one moment, and the way back.

A backup is a tar archive of `about.json` (what it is) and the database's own dump: `pg_dump`'s custom format, or a copy
that SQLite makes of itself. Both are made while people work.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

ABOUT, DUMP = "about.json", "database"


class BackupProblem(Exception):
    """Why no backup was made, or why one can not be restored. The text says what to do."""


def write_backup(path: Path) -> dict[str, Any]:
    """Writes a backup, whole or not at all; returns what is known of it. Raises BackupProblem."""
    if path.exists():
        raise BackupProblem(f"{path} is there already. Name another file, or take that one away.")
    about = {
        "engine": connection.vendor,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "migrations": sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()),
    }
    part = path.with_name(f".{path.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as name:
            folder = Path(name)
            (folder / ABOUT).write_text(json.dumps(about))
            _dump(folder / DUMP)
            with tarfile.open(part, "w") as archive:
                os.chmod(part, 0o600)  # noqa: PTH101  (it holds what people handed in, and hashes of passwords)
                for member in (ABOUT, DUMP):
                    archive.add(folder / member, member)
        part.rename(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BackupProblem(f"{path} can not be written: {error}. Choose a folder with room.") from error
    return about


def read_about(path: Path) -> dict[str, Any]:
    """What a backup says of itself. Raises BackupProblem."""
    try:
        with tarfile.open(path) as archive:
            member = archive.extractfile(ABOUT)
            about = json.loads(member.read()) if member is not None else None
    except (OSError, tarfile.TarError, KeyError, ValueError) as error:
        raise BackupProblem(f"{path} is no backup of this workbench: {error}.") from error
    if not isinstance(about, dict) or about.get("engine") not in ("sqlite", "postgresql"):
        raise BackupProblem(f"{path} is no backup of this workbench.")
    return about


def restore_backup(path: Path) -> dict[str, Any]:
    """Replaces the whole database by the backup's. Run `migrate` afterwards. Raises BackupProblem."""
    about = read_about(path)
    if about["engine"] != connection.vendor:
        raise BackupProblem(
            f"This backup is of {about['engine']}, DATABASE_URL names {connection.vendor}. Name a database of its kind."
        )
    with tempfile.TemporaryDirectory(prefix="passnet-restore-") as name:
        dump = Path(name) / DUMP
        with tarfile.open(path) as archive:
            member = archive.extractfile(DUMP)
            if member is None:
                raise BackupProblem(f"{path} holds no database.")
            with dump.open("wb") as file:
                shutil.copyfileobj(member, file)
        _load(dump)
    return about


def _dump(target: Path) -> None:
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(settings["NAME"])) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
        return
    _run("pg_dump", settings, "--format=custom", "--no-owner", f"--file={target}")


def _load(dump: Path) -> None:
    settings = connection.settings_dict
    connections.close_all()
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(dump)) as source, closing(sqlite3.connect(settings["NAME"])) as target:
            if source.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise BackupProblem("The backup's database is damaged.")
            source.backup(target)
        return
    # Into an empty schema: what was made since the backup must not stay behind. In one transaction, or not at all.
    script = dump.with_suffix(".sql")
    _run("pg_restore", None, "--no-owner", f"--file={script}", str(dump))
    with script.open("r+b") as file:
        rest = file.read()
        file.seek(0)
        file.write(b"DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n" + rest)
    options = ("--single-transaction", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={script}")
    _run("psql", settings, "--no-psqlrc", "--output=/dev/null", *options)


def _run(program: str, settings: Mapping[str, Any] | None, *arguments: str) -> None:
    """One of Postgres' programs, on the database of these settings. The password is in no command line."""
    found = shutil.which(program)
    if found is None:
        raise BackupProblem(f"There is no {program}. Install it: sudo apt-get install -y postgresql-client")
    env = dict(os.environ)
    if settings is not None:
        names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
        env |= {variable: str(settings[key]) for variable, key in names.items() if settings.get(key)}
    done = subprocess.run([found, *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise BackupProblem(f"{program} failed: {done.stderr.strip()[-500:]}")
