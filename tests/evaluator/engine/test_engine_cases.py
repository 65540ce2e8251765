"""The whole engine on the acceptance cases, in this process: load, match, rewrite, draw, run, compare."""

import json
import os
import signal
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import torch

from evaluator.engine import interpreter

interpreter.enable()

from evaluator.engine.blame import kind  # noqa: E402
from evaluator.engine.build import build, on_device  # noqa: E402
from evaluator.engine.compare import compare, verdict  # noqa: E402
from evaluator.engine.inputs import INPUT_SETS, graph_inputs, replay  # noqa: E402
from evaluator.engine.launches import CandidateCounter, eager_launches, total  # noqa: E402
from evaluator.engine.load import BadSubmission, load_submission, unload  # noqa: E402
from evaluator.engine.passes import apply_passes  # noqa: E402
from graphs.fx_source import parse  # noqa: E402
from graphs.samples import read_sample  # noqa: E402

CASES = Path(os.environ["PASSNET_CASES"], "cases") if os.environ.get("PASSNET_CASES") else None
SECONDS = 4  # of this process's own time: a busy machine is no reason


def judged():
    """(submission folder, graph name, expected entry) for everything honest that a CPU can judge."""
    for folder in sorted((CASES / "submissions").iterdir()) if CASES else []:
        expected = json.loads((folder / "expected.json").read_text())
        for graph, entry in expected["per_graph"].items():
            if expected["kind"] != "exploit" and not entry.get("gpu_only"):
                yield pytest.param(folder, expected["task"], graph, entry, id=f"{folder.name}-{graph}")


@contextmanager
def time_limit(seconds):
    def ring(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def outcome(folder, task, graph):
    """(status, mismatch, first t, matches, launches of the candidate, launches of eager)."""
    sample = read_sample(CASES / "tasks" / task / "graphs" / graph)
    parsed = parse(sample.source)
    metas, scalars = graph_inputs(parsed, sample.inputs)
    captured = build(parsed)
    try:
        applied = apply_passes(captured, load_submission(folder / "pass_dir"))
    except BadSubmission:
        return "rejected", None, None, 0, None, None
    if not applied.matches:
        return "no_match", None, None, 0, None, None
    module, candidate = on_device(captured, "cpu"), on_device(applied.module, "cpu")
    reports, counter = [], CandidateCounter()
    try:
        with torch.no_grad(), time_limit(SECONDS):
            for seed, input_set in enumerate(INPUT_SETS):
                values = [replay(metas, seed, input_set.spread, scalars=scalars) for _ in range(3)]
                with interpreter.here(), counter if seed == 0 else nullcontext():
                    found = candidate(*values[0])
                reports += compare(module(*values[1]), found)
    except Exception as problem:
        status = "compile_fail" if kind(problem) == "compile" else "runtime_fail"
        return status, None, None, applied.matches, None, None
    found = verdict(reports)
    return (
        found.status.value,
        found.mismatch and found.mismatch.value,
        found.first_t,
        applied.matches,
        counter.total,
        total(eager_launches(module, values[2])),
    )


@pytest.mark.cases
@pytest.mark.parametrize(("folder", "task", "graph", "entry"), list(judged()))
def test_case(folder, task, graph, entry):
    try:
        status, mismatch, first_t, matches, candidate, eager = outcome(folder, task, graph)
    finally:
        unload()
    assert status in {entry["status"], *entry.get("also_accept", [])}
    if status != "rejected":
        assert matches == entry["matches"]
    if status == "accuracy":
        assert mismatch == entry.get("mismatch")
        assert first_t == entry["correct_at_t"] or (
            entry["approx"] and first_t is not None and abs(first_t - entry["correct_at_t"]) <= 1
        )
    if status == "correct":
        assert first_t <= -5 and 1 <= candidate <= eager
