"""The script is run as its reader would run it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from evaluator.engine.inputs import replay
from evaluator.engine.reproduce import Failing, script
from graphs.samples import TensorMeta

HELPER = '''import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, o, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    """A text with 'quotes', "quotes" and a \\\\ backslash."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, FACTOR * tl.load(x + i, mask=i < n), mask=i < n)
'''
PASS = """import torch
import triton
from .helper import scale_kernel


def launch(x):
    out = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), FACTOR={factor}, BLOCK=16)
    return out


def replacement_func():
    return launch
"""
REFERENCE = "def forward(self, in_0, n):\n    mul = in_0 * 2.0\n    return (mul, n)\n"
CANDIDATE = "def forward(self, in_0, n):\n    launch = Scale_by_2_launch(in_0)\n    return (launch, n)\n"
METAS = [TensorMeta("in_0", (3, 7), "float32", mean=1.0, std=2.0, max_val=4.0), TensorMeta("n", (), "int64", data=(5,))]


def failing(factor, **changes):
    values = {
        "title": 'Scale on a graph: "wrong" """\\',
        "reference": REFERENCE,
        "candidate": CANDIDATE,
        "pass_names": ["Scale", "Scale_by_2"],
        "files": {"Scale_by_2.py": PASS.format(factor=factor), "helper.py": HELPER, "empty.py": ""},
        "metas": METAS,
        "seed": 11,
        "spread": 1.0,
        "scalars": {"n"},
    }
    return Failing(**{**values, **changes})


def run(tmp_path, text):
    file = tmp_path / "reproduce.py"
    file.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.run([sys.executable, file], capture_output=True, text=True, env=environment, timeout=120)


def test_a_wrong_pass(tmp_path):
    done = run(tmp_path, script(failing("2.5")))
    assert done.returncode == 1, done.stderr
    x, _ = replay(METAS, 11, 1.0, scalars={"n"})
    lines = done.stdout.splitlines()
    assert lines[0] == "output 0: expected torch.float32 [3, 7], found torch.float32 [3, 7]"
    assert lines[1] == f"  21 of 21 elements are wrong, largest finite error {float((0.5 * x).abs().max()):.6g}"
    assert lines[-1] == "The candidate differs." and "output 1: expected 5, found 5" in lines


def test_a_right_pass(tmp_path):
    done = run(tmp_path, script(failing("2.0")))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "Every output is correct here."), done.stderr


@pytest.mark.parametrize(
    "meta",
    [
        TensorMeta("in_0", (40,), "bfloat16", mean=0.5, std=30.0, min_val=0.0, max_val=float("inf")),
        TensorMeta("in_0", (40,), "int64", mean=5.0, std=30.0, min_val=0, max_val=9),
        TensorMeta("in_0", (40,), "bool"),
        TensorMeta("in_0", (2,), "float16", data=(float("-inf"), 1.5)),
    ],
)
def test_the_script_draws_the_same_inputs(meta):
    names = {}
    text = script(failing("2", metas=[meta], scalars=())).partition("class Reference")[0]
    exec(compile(text, "reproduce.py", "exec"), names)
    (drawn,) = names["replay"](names["INPUTS"], names["SEED"], names["SPREAD"])
    (expected,) = replay([meta], 11, 1.0)
    assert torch.equal(drawn, expected) and drawn.dtype == expected.dtype
