"""Outputs that nobody writes are seen while the launcher runs, by what the guard has put into the memory before."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from evaluator.engine import interpreter
from evaluator.engine.load import load_submission, unload
from evaluator.integrity.dispatch_guard import DispatchGuard
from evaluator.integrity.probes import leftover_findings
from tests.evaluator.integrity.cases_text import Case, read_cases

interpreter.enable()
CASES = Path(os.environ.get("PASSNET_CASES") or "/nonexistent") / "cases" / "submissions"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "pass_dir"
    made.mkdir()
    yield made
    unload()


def run(files: dict[str, str], folder: Path, *inputs: torch.Tensor) -> list[tuple[str, str]]:
    for name, text in files.items():
        (folder / name).write_text(text)
    (one,) = load_submission(folder)
    with torch.no_grad(), DispatchGuard(inputs, pass_dir=folder) as guard:
        output = one.launcher(*inputs)
    assert guard.findings() == []
    return [(finding["class"], finding["severity"]) for finding in leftover_findings([output])]


@pytest.mark.parametrize("case", read_cases("run_time"), ids=lambda case: case.name)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_unwritten_output_is_found(case: Case, folder: Path, dtype: torch.dtype) -> None:
    x, y = torch.ones(2, 4, dtype=dtype), torch.ones(2, 4, dtype=dtype)
    assert run(case.files, folder, x, y) == [("leftover_memory", "violation")]


def test_written_output_with_nan_is_not(folder: Path) -> None:
    case = next(case for case in read_cases("honest") if case.name == "early return for nothing")
    x = torch.tensor([float("nan"), float("inf"), -1.0])
    assert run(case.files, folder, x, torch.ones(3)) == []
    assert run(case.files, folder, torch.empty(0), torch.empty(0)) == []


@pytest.mark.cases
@pytest.mark.skipif(not CASES.is_dir(), reason="PASSNET_CASES is not set")
def test_acceptance_attempt(folder: Path) -> None:
    files = {path.name: path.read_text() for path in (CASES / "x_leftover_memory" / "pass_dir").iterdir()}
    assert run(files, folder, torch.randn(4, 64)) == [("leftover_memory", "violation")]
