"""What is known against the packages that we pin, and whether what is installed is what we pin.

python scripts/audit.py              part of `make lint`

Advisories come from api.osv.dev, in one request for Python and npm packages together; nothing but names and versions is
sent. Exit status: 0 nothing is known, 1 something is (or a package is not the pinned one), 3 the service could not be
asked, which is never passed over in silence. AUDIT_REQUIRED=1 makes that 1, for a CI that has a network.
"""

import importlib.metadata
import json
import os
import re
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SERVICE = "https://api.osv.dev/v1/querybatch"
SECONDS = 8
NOT_ASKED = 3

# Advisory → why it does not concern us. Take an entry out when the package is raised.
ACCEPTED: dict[str, str] = {}

Package = tuple[str, str, str]  # ecosystem, name, version


def main() -> int:
    """Check, say what was found, exit status."""
    python, npm = pinned_python(ROOT / "constraints.txt"), locked_npm(ROOT / "package-lock.json")
    packages = [*(("PyPI", *pair) for pair in python.items()), *(("npm", *pair) for pair in npm)]
    problems = [*not_as_pinned(python), *without_checksum(ROOT / "package-lock.json")]
    for problem in problems:
        print(problem)
    try:
        known = advisories(packages, ask)
    except OSError as error:
        print(
            f"ADVISORIES NOT CHECKED: {SERVICE} can not be reached ({error}). {len(packages)} packages are as pinned; "
            "whether something has become known against one of them is open. Run this again where there is a network."
        )
        return 1 if problems or os.environ.get("AUDIT_REQUIRED") else NOT_ASKED
    for (_, name, version), found in known.items():
        print(f"{name} {version}: " + ", ".join(f"https://osv.dev/{advisory}" for advisory in found))
    if not known:
        print(f"nothing is known against {len(python)} Python and {len(npm)} npm packages")
    return 1 if problems or known else 0


def pinned_python(path: Path) -> dict[str, str]:
    """name → version of constraints.txt."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;#]+)", path.read_text(), re.MULTILINE))


def locked_npm(path: Path) -> list[tuple[str, str]]:
    """(name, version) of every package in package-lock.json."""
    found = {
        (key.rpartition("node_modules/")[2], str(entry["version"]))
        for key, entry in json.loads(path.read_text())["packages"].items()
        if key and "version" in entry
    }
    return sorted(found)


def not_as_pinned(python: Mapping[str, str]) -> list[str]:
    """Installed packages whose version is another one than the pinned."""
    found = []
    for name, version in python.items():
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # an optional part that this environment leaves out
        if installed.partition("+")[0] != version:
            found.append(f"{name} {installed} is installed, but {version} is pinned: run make setup")
    return found


def without_checksum(path: Path) -> list[str]:
    """Entries of package-lock.json that npm would take without knowing what they should be."""
    entries: dict[str, Any] = json.loads(path.read_text())["packages"]
    return [
        f"{key} in package-lock.json has no checksum"
        for key, entry in entries.items()
        if key and not entry.get("link") and not str(entry.get("integrity", "")).startswith("sha512-")
    ]


def advisories(packages: list[Package], ask_service: Any) -> dict[Package, list[str]]:
    """What is known and not accepted, for each package against which something is. Raises OSError."""
    queries = [
        {"package": {"ecosystem": ecosystem, "name": name}, "version": version} for ecosystem, name, version in packages
    ]
    results = ask_service({"queries": queries})["results"]
    known = {}
    for package, result in zip(packages, results, strict=True):
        found = [entry["id"] for entry in result.get("vulns", []) if entry["id"] not in ACCEPTED]
        if found:
            known[package] = found
    return known


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """One request to the service. Raises OSError."""
    request = urllib.request.Request(SERVICE, json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        value: dict[str, Any] = json.load(answer)
    return value


if __name__ == "__main__":
    sys.exit(main())
