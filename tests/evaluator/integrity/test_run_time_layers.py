"""Delegation and laundering, tried against the guards of the run alone, as if the static check had seen nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from evaluator.engine import interpreter
from evaluator.engine.load import BadSubmission, load_submission, unload
from evaluator.events import Finding
from evaluator.integrity import import_guard
from evaluator.integrity.dispatch_guard import guarded
from evaluator.integrity.taint import Ledger
from tests.evaluator.integrity.cases_text import HERE, Case, read_cases

interpreter.enable()
# Only these tables are run: their payloads are harmless even where a guard would fail.
TABLES = ("attempts/delegation.txt", "attempts/laundering.txt")
NAMES = {
    line.removeprefix("=== ").split("|")[0].strip()
    for table in TABLES
    for line in (HERE / table).read_text().splitlines()
    if line.startswith("=== ")
}
ATTEMPTS = [case for case in read_cases("attempts") if case.name in NAMES]
# What the run does not see, and why that is enough.
STATIC_ONLY = {
    "fallback branch": "not taken for this size; where it is taken it is seen",
    "numba": "not installed: the import fails",
    "dict of the module": "a stand-in's dict does not hold the operator: KeyError",
    "vars of the module": "a stand-in's dict does not hold the operator: KeyError",
    "the builtins by subclasses": "reading a list of classes does nothing; what is done with it is seen",
    "loader of the module": "a stand-in has no loader",
    "array interface at an address": "torch reads from an address on a GPU only",
    "dlpack round trip": "gives the same memory back: no work is done by it",
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "pass_dir"
    made.mkdir()
    yield made
    unload()


@pytest.mark.parametrize("case", ATTEMPTS, ids=lambda case: case.name)
def test_attempt_is_answered_while_it_runs(case: Case, folder: Path) -> None:
    found: list[Finding] = []
    for name, text in case.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    guard = import_guard.install(folder, found.append)
    failed = ""
    try:
        (one,) = load_submission(folder)
        launcher = guarded(one.launcher, found.append, pass_dir=folder, ledger=Ledger())
        with torch.no_grad():
            launcher(torch.ones(2, 4), torch.ones(2, 4))
    except BadSubmission as problem:
        failed = f"refused while loading: {problem}"
    except Exception as problem:
        failed = f"failed: {problem}"
    finally:
        guard.uninstall()
    worst = {one["severity"] for one in found}
    answered = bool(worst & {"violation", "suspicious"})
    assert answered is (case.name not in STATIC_ONLY), failed or found
