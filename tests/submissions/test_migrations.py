"""A workbench that was used before there were accounts comes up with its work in the hands of the first account."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

OLD_WORK = """
INSERT INTO graphs_task (id, slug, title, summary, description, origin, content_hash, operators, dtypes, graph_count,
    thumbnail, search_text, created_at, updated_at)
    VALUES (1, 't', 'T', '', '', 'shipped', 'x', '[]', '[]', 0, '', '', '2026-01-01', '2026-01-01');
INSERT INTO submissions_author (id, name, kind, created_at) VALUES (1, 'local', 'person', '2026-01-01');
INSERT INTO submissions_draft (id, author_id, task_id, files, version, updated_at)
    VALUES (1, 1, 1, '{"A.py": "old"}', 3, '2026-01-01');
INSERT INTO submissions_revision (id, hash, number, files, task_id, author_id, created_at)
    VALUES (1, 'h', 1, '{"A.py": "old"}', 1, 1, '2026-01-01');
INSERT INTO submissions_run (id, revision_id, task_id, author_id, graphs, device, state, seq, token, losses,
    cancel_requested, message, attended_at, created_at, verdict)
    VALUES ('00000000000000000000000000000001', 1, 1, 1, '[]', 'cpu', 'done', 0, 0, 0, 0, '',
    '2026-01-01', '2026-01-01', 'clean');
"""
FIRST_ACCOUNT = """
from submissions.actions.accounts import do_add_first_account
from submissions.models import Draft, Run
made = do_add_first_account()
run, draft = Run.objects.get(), Draft.objects.get()
print(made.author.name, run.author.user.username, run.verdict, repr(run.reviewed_verdict), end=" ")
print(draft.author.name, draft.files)
"""


def manage(var: Path, *arguments: str) -> str:
    outside = ("DATABASE_URL", "REDIS_URL")
    env = {key: value for key, value in os.environ.items() if key not in outside} | {"PASSNET_VAR": str(var)}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout


def test_earlier_work_is_kept_and_belongs_to_the_first_account(tmp_path):
    manage(tmp_path, "migrate", "graphs", "0001", "-v", "0")
    manage(tmp_path, "migrate", "submissions", "0001", "-v", "0")
    with sqlite3.connect(tmp_path / "passnet.sqlite3") as database:
        database.executescript(OLD_WORK)
    manage(tmp_path, "migrate", "-v", "0")
    said = manage(tmp_path, "shell", "-v", "0", "-c", FIRST_ACCOUNT).strip().splitlines()[-1]
    assert said == "admin admin clean '' admin {'A.py': 'old'}"


def test_no_migration_is_missing(tmp_path):
    assert "No changes detected" in manage(tmp_path, "makemigrations", "--check", "--dry-run")
