"""What judge and runner do on a device for the first time, done before there is a run, with our own pass and graph.

A kernel of torch is loaded when it is first launched, the profiler and Dynamo start when they are first used: all that
takes a second, of which a spare judge or runner (`spare.py`) has plenty. Each step may fail without harm, and none is
begun once the run has come.
"""

import contextlib
import os
import random
from collections.abc import Callable, Iterator, Sequence

import torch
from torch.utils._pytree import tree_leaves

from evaluator.engine.build import build, on_device
from evaluator.engine.compare import compare
from evaluator.engine.inputs import INPUT_SETS, replay
from evaluator.engine.launches import CandidateCounter, eager_launches
from evaluator.engine.passes import apply_passes
from evaluator.engine.shapes import node_shapes
from evaluator.integrity import probes, process_probe
from evaluator.measure.baselines import all_through_torch_compile
from evaluator.measure.device_state import read_state
from evaluator.measure.kernels import annotated, profile_kernels
from evaluator.measure.rounds import PRECISION, Precision
from evaluator.measure.session import BASELINE, CANDIDATE, COMPILED, Plan, bound, flush_of, measure, time_alone
from evaluator.measure.traffic import traffic
from evaluator.measure.values import StaticInputs, round_values
from evaluator.runner import calibration, generalise, rehearsal, tensors
from evaluator.statistics import ratio_of_medians
from graphs.fx_source import parse
from graphs.samples import TensorMeta

#: More than what is compared on the host, and than what one block of a kernel covers.
_METAS = [TensorMeta(name, (1 << 16, 4), "float32") for name in ("in_0", "in_1")]
_FEW = {key: Precision(min_rounds=2, max_rounds=2) for key in PRECISION}

Step = Callable[[], object]


def judge(device: str, run_has_come: Callable[[], bool]) -> None:
    """What a judge does to a graph, on `device`."""
    _steps(_of_a_judge(device), run_has_come)


def runner(device: str, run_has_come: Callable[[], bool]) -> None:
    """What a runner does to a graph, on `device`; its compilers write into folders of this run alone."""
    _steps(_of_a_runner(device), run_has_come)


def _steps(steps: Iterator[Step], run_has_come: Callable[[], bool]) -> None:
    with torch.no_grad(), contextlib.suppress(Exception):
        for step in steps:
            if run_has_come():
                return
            with contextlib.suppress(Exception):  # what fails here fails in the run, which says so
                step()
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()


def _of_a_judge(device: str) -> Iterator[Step]:
    yield lambda: calibration.canary(device)
    yield read_state
    module = on_device(build(parse(rehearsal.MODEL)), device)
    inputs = replay(_METAS, 1, INPUT_SETS[1].spread, device, drawn_on=device)
    yield lambda: eager_launches(module, inputs)
    yield lambda: node_shapes(module, inputs)
    expected = tree_leaves(module(*inputs))
    yield lambda: compare(expected, [value.cpu() + 1e-7 for value in expected])
    yield lambda: traffic(module, inputs)
    yield lambda: round_values([inputs], [True, True], "ready", "direct e2e", 0)
    yield lambda: ratio_of_medians([1.0, 2.0], [2.0, 1.0])
    yield lambda: [check.change(value) for check in generalise.CHECKS for value in expected]
    yield lambda: os.close(tensors.share(inputs, "ready")[0])
    yield lambda: time_alone(module.forward, StaticInputs([inputs], [True, True], "ready"), "graph", 1)


def _of_a_runner(device: str) -> Iterator[Step]:
    eager = on_device(build(parse(rehearsal.MODEL)), device)
    values = replay(_METAS, 1, INPUT_SETS[1].spread, device, drawn_on=device)
    rewritten = on_device(apply_passes(eager, (rehearsal.own_pass(),)).module, device)
    inputs = StaticInputs([values], [True, True], "ready")
    yield lambda: _watched_call(rewritten, values, device)
    participants = {BASELINE: eager.forward, CANDIDATE: rewritten.forward}
    plan = Plan(("gpu", "graph", "e2e"), _FEW)
    yield lambda: measure(participants, inputs, plan, random.Random(1))
    calls = {BASELINE: bound(annotated(eager), inputs), CANDIDATE: bound(annotated(rewritten), inputs)}
    yield lambda: profile_kernels(calls, flush_of(inputs.device), 2)
    through: dict[str, Callable[..., object]] = {}
    yield lambda: through.update(all_through_torch_compile(eager, participants, values)[0])
    yield lambda: measure(through, inputs, Plan(("e2e",), _FEW), random.Random(1), entry=COMPILED)
    yield process_probe.capture_ahead  # last: torch and Triton put parts of their own in when they are first used


def _watched_call(module: Callable[..., object], values: Sequence[object], device: str) -> None:
    """One call with what the guards look at before and after it."""
    probes.poison_free_memory([1 << 20], device)
    probes.fingerprint(values)
    with CandidateCounter():
        outputs = tree_leaves(module(*values))
    probes.leftover_findings(outputs)
    probes.fingerprint(outputs)
    room = tensors.room_for(outputs)
    tensors.put(room, tensors.plain(outputs))
    os.close(room)
