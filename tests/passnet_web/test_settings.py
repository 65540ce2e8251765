"""Settings come from the environment; each test asks a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

SHOWN = (
    *("DEBUG", "ALLOWED_HOSTS", "CELERY_BROKER_URL", "REDIS_IS_PRIVATE", "SECRET_KEY", "WORKER_DEVICES"),
    *("DEPLOYMENT", "PROXIES", "MAY_JUDGE_UNISOLATED", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS"),
    *("SESSION_COOKIE_SECURE", "SESSION_COOKIE_NAME"),
)
CODE = f"""
import json
from passnet_web import settings
shown = {{name: getattr(settings, name, None) for name in {SHOWN}}}
database = {{key: str(value) for key, value in settings.DATABASES["default"].items()}}
print(json.dumps({{**shown, "database": database, "hosts": settings.CHANNEL_LAYERS["default"]["CONFIG"]["hosts"]}}))
"""


def settings(var: Path, **more: str) -> dict:
    env = {"PATH": os.environ["PATH"], "PASSNET_VAR": str(var), **more}
    shown = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)


def complaint(var: Path, **more: str) -> str:
    env = {"PATH": os.environ["PATH"], "PASSNET_VAR": str(var), **more}
    command = [sys.executable, "manage.py", "check"]
    ended = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_without_any_it_is_one_person_s_laptop(tmp_path):
    found = settings(tmp_path)
    assert (found["DEBUG"], found["REDIS_IS_PRIVATE"], found["WORKER_DEVICES"]) == (False, True, "auto")
    assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert found["database"]["NAME"] == str(tmp_path / "passnet.sqlite3")
    assert "IMMEDIATE" in found["database"]["OPTIONS"] and "journal_mode=WAL" in found["database"]["OPTIONS"]
    assert found["CELERY_BROKER_URL"] == f"redis+socket://{tmp_path}/run/redis.sock"
    assert found["SECRET_KEY"] == (tmp_path / "secret_key").read_text().strip()


def test_outside_services_are_named_by_the_environment_alone(tmp_path):
    found = settings(
        tmp_path,
        DATABASE_URL="postgres://user:secret@db.example:5433/passnet",
        REDIS_URL="redis://cache.example:6380/2",
        SECRET_KEY="given",
        ALLOWED_HOSTS="passnet.example,localhost",
    )
    database = found["database"]
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example", "5433", "passnet")
    assert found["CELERY_BROKER_URL"] == "redis://cache.example:6380/2"
    assert found["hosts"][0]["address"] == "redis://cache.example:6380/2"
    assert found["hosts"][0]["socket_timeout"] is None
    assert (found["REDIS_IS_PRIVATE"], found["SECRET_KEY"]) == (False, "given")
    assert not (tmp_path / "secret_key").exists()


CLUSTER = {
    "DEPLOYMENT": "cluster",
    "DATABASE_URL": "postgres://user:secret@db.example/passnet",
    "REDIS_URL": "redis://cache.example/0",
    "SECRET_KEY": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5tV8xZ1",
    "ALLOWED_HOSTS": "passnet.example",
}


def deploy_check(var: Path, **more: str) -> str:
    env = {"PATH": os.environ["PATH"], "PASSNET_VAR": str(var), **more}
    command = [sys.executable, "manage.py", "check", "--deploy"]
    ended = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    return ended.stdout + ended.stderr


def test_cluster_settings_pass_the_deployment_check(tmp_path):
    assert deploy_check(tmp_path, **CLUSTER).strip() == "System check identified no issues (0 silenced)."
    assert deploy_check(tmp_path, **{**CLUSTER, "DATABASE_URL": ""}).count("no issues") == 1


def test_the_deployment_check_names_what_is_missing(tmp_path):
    assert "passnet.W001" in deploy_check(tmp_path)
    assert "passnet.W002" in deploy_check(tmp_path, **{**CLUSTER, "SECRET_KEY": ""})
    assert "passnet.W003" in deploy_check(tmp_path, **{**CLUSTER, "ALLOWED_HOSTS": "*"})
    assert "passnet.W004" in deploy_check(tmp_path, **CLUSTER, PASSNET_ALLOW_UNISOLATED="1")


def test_what_a_cluster_does_differently(tmp_path):
    here, there = settings(tmp_path), settings(tmp_path, **CLUSTER)
    assert (here["DEPLOYMENT"], there["DEPLOYMENT"]) == ("embedded", "cluster")
    assert (here["SESSION_COOKIE_SECURE"], there["SESSION_COOKIE_SECURE"]) == (None, True)
    assert there["SECURE_HSTS_SECONDS"] >= 31_536_000 and there["SECURE_SSL_REDIRECT"] is True
    assert there["SESSION_COOKIE_NAME"].startswith("__Host-")
    assert (here["PROXIES"], there["PROXIES"]) == (0, 1)
    assert settings(tmp_path, **{**CLUSTER, "DEPLOYMENT": ""})["SECURE_SSL_REDIRECT"] is None
    allowed = {"PASSNET_ALLOW_UNISOLATED": "1"}
    assert settings(tmp_path, **allowed)["MAY_JUDGE_UNISOLATED"] is True
    assert settings(tmp_path, **allowed, PUBLISHED_ON="0.0.0.0")["MAY_JUDGE_UNISOLATED"] is False
    assert settings(tmp_path, **CLUSTER, **allowed)["MAY_JUDGE_UNISOLATED"] is False


def test_a_wrong_setting_is_a_sentence(tmp_path):
    said = complaint(tmp_path, DATABASE_URL="mysql://user:secret@db/name")
    assert "neither Postgres nor SQLite" in said and "secret" not in said
    assert "DEPLOYMENT can not be 'big'" in complaint(tmp_path, DEPLOYMENT="big")
    (tmp_path / "file").write_text("")
    assert "set PASSNET_VAR" in complaint(tmp_path / "file" / "var")
