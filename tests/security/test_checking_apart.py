"""The process that looks at a text while it is typed has nothing that a hole in a parser could use."""

import json
import subprocess
import sys

import pytest
from django.conf import settings

from evaluator.runner import landlock

PROBE = """
import os, socket, sys
from submissions.checking import child
child._shut_in()
found = []
for name, attempt in {
    "write": lambda: open("/tmp/x-of-a-check", "w"),
    "read": lambda: open("/etc/passwd"),
    "var": lambda: os.listdir("/root"),
    "network": lambda: socket.socket(socket.AF_INET),
    "program": lambda: os.execv("/bin/true", ["true"]),
}.items():
    try:
        attempt()
        found.append(name)
    except OSError:
        pass
print(found)
"""


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_nothing_is_within_its_reach() -> None:
    env = {"PYTHONPATH": str(settings.BASE_DIR), "LC_ALL": "C.UTF-8"}
    said = subprocess.run([sys.executable, "-P", "-c", PROBE], env=env, capture_output=True, text=True, check=False)
    assert said.stdout.strip() == "[]", said.stderr


def test_it_still_finds_what_it_looks_for() -> None:
    env = {"PYTHONPATH": str(settings.BASE_DIR), "LC_ALL": "C.UTF-8"}
    files = {"A.py": "import socket\n", "sorted_output_pass_rule_names.json": '["A"]'}
    command = [sys.executable, "-P", "-s", "-m", "submissions.checking.child"]
    said = subprocess.run(command, env=env, cwd="/", input=json.dumps(files).encode(), capture_output=True, check=True)
    assert "network" in {one["class"] for one in json.loads(said.stdout)}
