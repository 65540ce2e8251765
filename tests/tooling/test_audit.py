"""The dependency audit, against a service that says what a test wants."""

import importlib.util
import json
import urllib.error
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("audit", ROOT / "scripts" / "audit.py")
assert spec is not None and spec.loader is not None
audit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)


@pytest.fixture(autouse=True)
def _as_pinned(monkeypatch, request) -> None:
    """Whatever is installed where the tests run."""
    if "pinned_one" not in request.node.name:
        monkeypatch.setattr(audit, "not_as_pinned", lambda python: [])


@pytest.fixture
def service(monkeypatch):
    """What is known against a package, by name."""
    known: dict[str, list[str]] = {}

    def ask(question):
        names = [query["package"]["name"] for query in question["queries"]]
        return {
            "results": [{"vulns": [{"id": found} for found in known[name]]} if name in known else {} for name in names]
        }

    monkeypatch.setattr(audit, "ask", ask)
    return known


def test_nothing_is_known(service, capsys):
    assert audit.main() == 0
    assert "nothing is known against" in capsys.readouterr().out


def test_something_is_known(service, capsys, monkeypatch):
    service["Django"] = ["GHSA-1", "PYSEC-2"]
    service["vite"] = ["GHSA-3"]
    assert audit.main() == 1
    said = capsys.readouterr().out
    assert "Django 5.2" in said and "https://osv.dev/GHSA-1, https://osv.dev/PYSEC-2" in said and "vite " in said
    monkeypatch.setattr(audit, "ACCEPTED", dict.fromkeys(("GHSA-1", "PYSEC-2", "GHSA-3"), "does not concern us"))
    assert audit.main() == 0


def test_a_service_that_can_not_be_reached_is_said_loudly(monkeypatch, capsys):
    def ask(question):
        raise urllib.error.URLError("no route")

    monkeypatch.setattr(audit, "ask", ask)
    monkeypatch.delenv("AUDIT_REQUIRED", raising=False)
    assert audit.main() == audit.NOT_ASKED
    assert "ADVISORIES NOT CHECKED" in capsys.readouterr().out
    monkeypatch.setenv("AUDIT_REQUIRED", "1")
    assert audit.main() == 1


def test_what_is_sent_are_names_and_versions(service):
    assert audit.pinned_python(ROOT / "constraints.txt")["Django"].startswith("5.2")
    names = [name for name, _ in audit.locked_npm(ROOT / "package-lock.json")]
    assert "vite" in names and "monaco-editor" in names and "" not in names


def test_a_package_that_is_not_the_pinned_one(tmp_path):
    assert audit.not_as_pinned({"pytest": "0.0.1", "no-such-package": "1"})[0].endswith(
        "0.0.1 is pinned: run make setup"
    )
    lock = {"packages": {"": {}, "node_modules/a": {"version": "1"}, "node_modules/b": {"integrity": "sha512-x"}}}
    (tmp_path / "lock.json").write_text(json.dumps(lock))
    assert audit.without_checksum(tmp_path / "lock.json") == ["node_modules/a in package-lock.json has no checksum"]
