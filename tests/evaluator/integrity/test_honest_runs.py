"""Honest passes run behind every guard without a finding: the tables of honest/."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

from evaluator.engine import interpreter
from evaluator.engine.build import build
from evaluator.engine.load import load_submission, modules_of, unload
from evaluator.engine.passes import apply_passes
from evaluator.events import Finding
from evaluator.integrity import import_guard, probes, process_probe, state_probe
from evaluator.integrity.taint import Ledger
from evaluator.integrity.watched_module import in_place_passes, watched
from graphs.fx_source import parse
from tests.evaluator.integrity.cases_text import HEAD, NEEDS_A_GPU, OTHER_GRAPHS, Case, read_cases

interpreter.enable()


class Run:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: list[Finding] = []
        self.guard = import_guard.install(folder, self.found.append)
        self.ledger = Ledger()
        self.primitives = process_probe.capture_primitives()

    def call(self, module: GraphModule, inputs: list[Any], files: dict[str, str], held: list[Any]) -> list[Any]:
        """One call behind the dispatch guard and all probes; returns its outputs."""
        marks, kept = probes.fingerprint(inputs), state_probe.snapshot(modules_of(self.folder))
        guard = watched(
            module, self.found.append, pass_dir=self.folder, ledger=self.ledger, in_place=in_place_passes(files)
        )
        with torch.no_grad(), interpreter.here(), guard:
            outputs = list(tree_leaves(module(*inputs)))
        after = state_probe.snapshot(modules_of(self.folder))
        self.found += probes.input_findings(marks, probes.fingerprint(inputs))
        self.found += probes.attribute_findings(inputs)
        self.found += probes.output_findings(outputs) + probes.leftover_findings(outputs)
        self.found += probes.alias_findings(outputs, inputs, held, ledger=self.ledger)
        self.found += state_probe.state_findings(kept, after, inputs, outputs, self.ledger)
        self.found += process_probe.primitive_findings(self.primitives)
        return outputs


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = Run(tmp_path / "pass_dir")
    made.folder.mkdir()
    yield made
    unload()
    made.guard.uninstall()


def put(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


RELU_OF_SUM = """
import torch
class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + in_1
        tmp_1 = torch.nn.functional.relu(tmp_0)
        return (tmp_1,)
"""
ZEROS = """
import torch
class GraphModule(torch.nn.Module):
    def forward(self, in_0):
        tmp_0 = in_0.new_zeros((4, 4))
        return (tmp_0,)
"""
SIMPLE = [case for case in read_cases("honest") if case.files["Pass.py"].startswith(HEAD)]


@pytest.mark.parametrize("case", SIMPLE, ids=lambda case: case.name)
def test_honest_pass_runs_clean(case: Case, run: Run) -> None:
    put(case.files, run.folder)
    passes = load_submission(run.folder)
    applied = apply_passes(build(parse(RELU_OF_SUM)), passes)
    assert applied.matches == 1
    failed: Exception | None = None
    held: list[Any] = []
    for value in (1.0, 2.0, 3.0):
        try:
            held = run.call(applied.module, [torch.full((2, 4), value), torch.ones(2, 4)], case.files, held)
        except Exception as problem:
            failed = problem
    assert [one for one in run.found if one["severity"] != "note"] == []
    assert failed is None or case.name in OTHER_GRAPHS | NEEDS_A_GPU, failed


def test_a_constant_may_be_kept_and_returned_again(run: Run) -> None:
    case = next(case for case in read_cases("honest") if case.name == "zeros remembered by shape")
    put(case.files, run.folder)
    applied = apply_passes(build(parse(ZEROS)), load_submission(run.folder))
    assert applied.matches == 1
    held: list[Any] = []
    for value in (1.0, 2.0, 3.0):
        held = run.call(applied.module, [torch.full((3,), value)], case.files, held)
    assert run.found == []
