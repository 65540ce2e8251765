"""A backup of a live SQLite database is restored; what came afterwards is gone. Postgres: tests/cluster."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def manage(var: Path, *arguments: str, code: int = 0) -> str:
    outside = ("DATABASE_URL", "REDIS_URL")
    env = {key: value for key, value in os.environ.items() if key not in outside} | {"PASSNET_VAR": str(var)}
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_back_to_what_it_was(tmp_path):
    manage(tmp_path, "migrate", "-v", "0")
    manage(tmp_path, "add_user", "ada", "--role", "admin")
    file = tmp_path / "one.backup"
    assert "sqlite" in manage(tmp_path, "backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    assert "is there already" in manage(tmp_path, "backup", str(file), code=1)
    manage(tmp_path, "add_user", "bob")
    assert "Repeat with --yes" in manage(tmp_path, "restore", str(file))
    assert "restored" in manage(tmp_path, "restore", str(file), "--yes")
    names = "from submissions.models import Author; print(sorted(Author.objects.values_list('name', flat=True)))"
    said = manage(tmp_path, "shell", "-v", "0", "-c", names)
    assert "ada" in said and "bob" not in said
    (tmp_path / "no.backup").write_text(json.dumps({}))
    assert "no backup of this workbench" in manage(tmp_path, "restore", str(tmp_path / "no.backup"), "--yes", code=1)
