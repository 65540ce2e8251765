"""The runtime as it is installed: built from the one source tree, under names that are nobody else's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pass_folders import RELU, folder

ROOT = Path(__file__).parents[2]

SCRIPT = """
import sys, warnings
import torch
from passnet_runtime import passes, draw_match

backend = passes(sys.argv[1], then="eager", unverified="apply")
x = torch.arange(-4.0, 4.0).reshape(1, 8)
with torch.no_grad():
    print(torch.compile(lambda x, y: torch.relu(x + y), backend=backend)(x, x).tolist())
print(draw_match(backend))
print(sorted({name.split(".")[0] for name in sys.modules} & {"evaluator", "graphs", "django", "passnet_web"}))
print(passes.__module__, backend.__module__)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("built")
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(out)]
    subprocess.run(command, cwd=ROOT / "passnet_runtime", check=True, capture_output=True)
    return out


def test_nothing_of_the_workbench_is_needed_beside_it(built, tmp_path):
    made = folder(tmp_path / "p", Relu=RELU)
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(made)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(built)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "[[0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 6.0]]",
        "graph 1: 1 matches, 0 left alone",
        "[]",
        "passnet_runtime.backend passnet_runtime.workbench.evaluator.engine.backend.compiler",
    ]


def test_only_the_engine_is_taken_along(built):
    found = {
        path.relative_to(built / "passnet_runtime" / "workbench").parts[:2] for path in built.rglob("workbench/*/*")
    }
    assert ("evaluator", "engine") in found and ("graphs", "fx_source") in found
    assert not found & {("evaluator", "runner"), ("evaluator", "integrity"), ("evaluator", "measure")}
    assert not (ROOT / "passnet_runtime" / "build").exists()
