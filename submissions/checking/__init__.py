"""The static checks (integrity, portability), asked for while somebody types: in a process of its own, so that a text
that is made to be hard to read can cost a few seconds of one process and nothing of the web server's. The process has
neither network nor files to write (`child`).
"""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from graphs.refused import Refused

SECONDS = 8.0
AT_ONCE = 2  # for each web process
PATIENCE = 3.0  # seconds until somebody who waits for a place is told to come again

_places = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class Checked:
    """`findings` are evaluator.events.Finding, or evaluator.portability's with their rule; `problem` says why there may
    be more than these, or is empty.
    """

    findings: list[dict[str, Any]] = field(default_factory=list)
    problem: str = ""


def check_apart(files: Mapping[str, str], seconds: float = SECONDS) -> Checked:
    """Integrity findings on the files. Raises Refused (429) when too many are being checked."""
    return _in_turn("integrity", files, seconds)


def portability_apart(files: Mapping[str, str], seconds: float = SECONDS) -> Checked:
    """What the published harness would make of the files, from their text. Raises Refused as above."""
    return _in_turn("portability", files, seconds)


def syntax_apart(files: Mapping[str, str], seconds: float = SECONDS) -> Checked:
    """Files that are no Python: `{file, line, evidence}` each. Raises Refused as above."""
    return _in_turn("syntax", files, seconds)


def _in_turn(check: str, files: Mapping[str, str], seconds: float) -> Checked:
    if not _places.acquire(timeout=PATIENCE):
        raise Refused(429, "busy", "Other files are being checked. This one has its turn soon.", retry_after=1)
    try:
        return _ask_child(check, files, seconds)
    finally:
        _places.release()


def _ask_child(check: str, files: Mapping[str, str], seconds: float) -> Checked:
    command = [sys.executable, "-P", "-s", "-m", "submissions.checking.child", check]
    environment = {"PYTHONPATH": str(settings.BASE_DIR), "LC_ALL": "C.UTF-8"}  # and no secret of ours
    try:
        child = subprocess.run(
            command,
            input=json.dumps(files).encode(),
            capture_output=True,
            timeout=seconds,
            env=environment,
            cwd="/",
            check=True,
        )
        findings: list[dict[str, Any]] = json.loads(child.stdout)
    except subprocess.TimeoutExpired:
        return Checked(problem="The check took too long and was stopped. A run checks again, with more time.")
    except (OSError, subprocess.CalledProcessError, ValueError):
        return Checked(problem="The check could not follow these files. A run checks again, while they run.")
    return Checked(findings)
