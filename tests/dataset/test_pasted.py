"""A module that comes as text: captured for real, in a process that is shut in, with limits."""

import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from dataset import pasted
from dataset.pasted import LIMITS, capture_text
from evaluator.job import Limits
from evaluator.runner import isolation
from graphs.samples import sample_from_json

GOOD = """\
import torch
from torch import nn


class Scale(nn.Module):
    def forward(self, x, factor):
        y = torch.relu(x) * factor
        print("printed")
        return y + 1


def make():
    return Scale(), {"x": torch.ones(4, 3), "factor": torch.full((3,), 2.0)}
"""

TOUCHY = """\
import socket
import torch


class Net(torch.nn.Module):
    example_inputs = (torch.ones(2),)

    def forward(self, x):
        return x + 1


def tried(act):
    try:
        act()
    except OSError:
        return True
    return False


assert tried(lambda: open("%(secret)s").read()), "a file outside was read"
assert tried(lambda: socket.create_connection(("127.0.0.1", 9), 1)), "the network was reached"
assert tried(lambda: open("/usr/written", "w")), "the system was written to"
"""


def ask(text: str, limits: Limits = LIMITS) -> dict[str, Any]:
    return capture_text(text, "net", limits)


def test_a_module_gives_its_graphs_and_says_where_they_break() -> None:
    said = ask(GOOD)
    first, second = (sample_from_json(one) for one in said["samples"])
    assert "torch.relu(in_0)" in first.source and " * in_1" in first.source
    assert " + 1" in second.source  # the call of print ends the first graph
    assert [meta.shape for meta in first.inputs] == [(4, 3), (3,)]
    assert first.graph_net["source"] == "uploaded module" and first.graph_net["model_name"] == "net"
    assert [note.startswith("graph break, 1 times") for note in said["notes"]] == [True]


def test_it_sees_nothing_of_ours_and_needs_no_make(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    if isolation.level() == isolation.PROCESS_GROUP:
        secret.chmod(0)
    said = ask(TOUCHY % {"secret": secret})
    assert "problem" not in said and len(said["samples"]) == 1, said


def test_an_error_names_its_line() -> None:
    said = ask(GOOD.replace('print("printed")', 'raise ValueError("not today")'))
    assert (said["problem"], said["line"]) == ("ValueError: not today", 8)


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("def make(:\n", "SyntaxError", 1),
        ("x = 1\n", "has no make() and no module. It needs a function make()", None),
        ("def make():\n    return 3\n", "it gives a int", None),
        ("import torch\n\ndef make():\n    return torch.nn.Linear(2, 2), torch.ones(3)\n", "RuntimeError", None),
        ("raise SystemExit('bye')\n", "SystemExit: bye", 1),
        ("import os\nos._exit(0)\n", "ended before it was done", None),
    ],
)
def test_bad_texts_are_told_in_words(text: str, problem: str, line: int | None) -> None:
    said = ask(text)
    assert problem in said["problem"] and said.get("line") == line


def test_a_text_without_an_end_is_stopped() -> None:
    said = ask("while True:\n    pass\n", Limits(run_seconds=1.0))
    assert said["problem"].startswith("Stopped after 1 s.")


def test_more_memory_than_allowed_is_refused() -> None:
    said = ask("import torch\ntorch.ones(1 << 30)\n", Limits(run_seconds=60.0, memory_bytes=256 << 20))
    assert "memory" in said["problem"] and said["line"] == 2


def test_who_writes_without_a_pause_is_looked_at_all_the_same() -> None:
    always = os.open("/dev/zero", os.O_RDONLY)
    try:
        said = pasted._read(always, Limits(memory_bytes=256 << 20), lambda: 257 << 20)
    finally:
        os.close(always)
    assert said == "Stopped: it needed more than the 256 MiB that an uploaded module may use."


def test_it_ends_when_who_started_it_is_killed() -> None:
    request, asking = os.pipe()
    answer, answering = os.pipe()
    start = "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'dataset.pasted'])\n"
    with subprocess.Popen([sys.executable, "-c", start], stdin=request, stdout=answering) as parent:
        os.close(request)
        os.close(answering)
        try:
            os.write(asking, b"{")
            until = time.monotonic() + 60
            while _unread(asking):  # then it waits for the rest
                assert time.monotonic() < until
                time.sleep(0.02)
            parent.kill()
            ended, _, _ = select.select([answer], [], [], 30)  # its standard output closes with it
            assert ended and not os.read(answer, 1)
        finally:
            parent.kill()
            os.close(asking)
            os.close(answer)


def _unread(pipe: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
