"""How far a right pass is right beyond the inputs that it is scored on. It is told apart from the score.

Values that the metadata does not promise: other spreads, zeros, large and negative ones, NaN and Inf, tensors whose
elements do not lie one after the other, and inputs of another size where the graph takes them. Nothing that comes out
here changes a status or makes a finding of its own.
"""

import contextlib
import copy
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from evaluator.engine.build import on_device
from evaluator.engine.compare import compare, verdict
from evaluator.engine.inputs import InputProblem, InputSet, dtype_of, replay
from evaluator.events import GeneralCheck
from evaluator.runner import other_shapes
from evaluator.runner.ahead import Ahead
from evaluator.runner.decided import Decided
from evaluator.runner.forerunner import described
from evaluator.runner.history import is_right
from evaluator.runner.reference import Case, Reference
from evaluator.runner.remote_runner import RemoteRunner
from evaluator.runner.report import Report
from evaluator.runner.words import inaccuracy
from evaluator.verdicts import RuntimeReason
from graphs.samples import TensorMeta

_SECONDS = 2.0
_LARGE = 30.0
_LONGEST = 300  # characters of a detail

Change = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class _Check:
    name: str
    change: Change
    spread: float = 1.0


def _same(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def _with_odd_values(tensor: torch.Tensor) -> torch.Tensor:
    """NaN, Inf and -Inf in three places, where there is room for all."""
    changed = tensor.clone()
    flat = changed.view(-1)
    for place, value in zip((0, flat.numel() // 2, -1), ("nan", "inf", "-inf"), strict=True):
        flat[place] = float(value)
    return changed


def _across(tensor: torch.Tensor) -> torch.Tensor:
    """The same values in memory that runs the other way."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2) if tensor.dim() > 1 else tensor


_SHAPE = _Check("another shape", _same)
_LOOKING_SECONDS = 60.0  # a graph that is slow on the CPU

CHECKS = (
    _Check("half the spread", _same, 0.5),
    _Check("twice the spread", _same, 2.0),
    _Check("zeros", torch.zeros_like),
    _Check("large values", lambda tensor: tensor * _LARGE),
    _Check("negative values", lambda tensor: -tensor.abs()),
    _Check("NaN and Inf", _with_odd_values),
    _Check("non-contiguous inputs", _across),
)


@dataclass(frozen=True)
class OtherSize:
    """Inputs of another size, which nobody could know before, and what is other about them in words."""

    metas: list[TensorMeta]
    words: str


def other_size(eager: Reference, report: Report) -> OtherSize | str:
    """A size that the graph takes, or why there is none."""
    try:
        with report.own_work("looking for another size that the graph takes", _LOOKING_SECONDS):
            found = _other_size(eager, time.monotonic() + _SECONDS)
    except Exception as problem:  # an operator that this dtype does not have on a CPU, for example
        return str(problem)[:_LONGEST]
    return found or "The graph takes its inputs in no other size that was tried."


def foresee(index: int, eager: Reference, size: OtherSize | str, runner: RemoteRunner) -> None:
    """Let the runner compile for it while other checks are made."""
    if isinstance(size, OtherSize):
        with contextlib.suppress(Decided):
            runner.foresee(index, described(size.metas, eager.scalars))


def examine(
    index: int, eager: Reference, size: OtherSize | str, runner: RemoteRunner, report: Report, *, in_doubt: bool
) -> bool:
    """Make the checks and report them, as many as there is time for.

    `in_doubt`: another graph has gone wrong in the runner; what goes wrong then is done again in a fresh one. Returns
    whether the next graph finds it so: a kernel on inputs of another size may have left anything behind.
    """
    until = time.monotonic() + _SECONDS
    found: list[GeneralCheck] = []
    cases = Ahead(_cases(eager, runner, report))
    for check in CHECKS:
        if time.monotonic() > until:
            found.append(_outcome(check, "not applicable", "There was no time left for it."))
            continue
        case = next(cases)
        if isinstance(case, str):
            found.append(_outcome(check, "not applicable", case))
            continue
        said, failure = _called(check, index, case, runner, report, cases.make)
        if said["outcome"] == "no" and in_doubt:
            runner.end()
            in_doubt, (said, failure) = False, _called(check, index, case, runner, report)
        found.append(said)
        until = 0.0 if failure is not None and failure.reason == RuntimeReason.TIMEOUT else until
    if not until:
        found.append(_outcome(_SHAPE, "not applicable", "There was no time left for it."))
    else:
        found.append(_another_shape(index, eager, size, runner, report, in_doubt=in_doubt))
        in_doubt = in_doubt or found[-1]["outcome"] == "no"
    report.measured("generalisation", {"checks": found})
    return in_doubt


def _called(
    check: _Check,
    index: int,
    case: Case,
    runner: RemoteRunner,
    report: Report,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[GeneralCheck, Decided | None]:
    """What comes of one call, and how it failed, if it did."""
    try:
        returned = runner.call(index, case, watched=False, meanwhile=meanwhile)
    except Decided as problem:
        return _outcome(check, "no", problem.message), problem
    with report.own_work("comparing the outputs"):
        return _compared(check, case, returned.outputs), None


def _another_shape(
    index: int, eager: Reference, size: OtherSize | str, runner: RemoteRunner, report: Report, *, in_doubt: bool
) -> GeneralCheck:
    """The pass on inputs of a size that nobody could know before."""
    if isinstance(size, str):
        return _outcome(_SHAPE, "not applicable", size)
    try:
        with report.own_work("running the graph without the submission"):
            case = replace(eager, metas=size.metas).case(InputSet(_SHAPE.name, 1.0))
    except Decided as problem:
        return _outcome(_SHAPE, "not applicable", problem.message)
    said, failure = _called(_SHAPE, index, case, runner, report)
    if failure is not None and in_doubt:  # the other graph's, perhaps; wrong values are of this one
        runner.end()
        said, _ = _called(_SHAPE, index, case, runner, report)
    return said if said["outcome"] == "yes" else _outcome(_SHAPE, "no", f"{size.words}: {said['detail']}")


def _other_size(eager: Reference, until: float) -> OtherSize | None:
    """The first size that the graph runs on, or None where there is none."""
    on_cpu = eager
    if eager.device != "cpu":  # an index out of range raises there; on a GPU it would break the judge's own context
        on_cpu = replace(eager, module=on_device(copy.deepcopy(eager.module), "cpu"), device="cpu")
    for metas in other_shapes.variants(eager.metas):
        if time.monotonic() > until:
            return None
        with contextlib.suppress(Decided, InputProblem):
            on_cpu.case_of(_quick_inputs(metas, eager.scalars))
            return OtherSize(metas, other_shapes.words(eager.metas, metas))
    return None


def _quick_inputs(metas: Sequence[TensorMeta], scalars: Collection[str]) -> list[Any]:
    """Inputs on the CPU that a graph runs on if it does on any: floats have no say in shapes and places."""
    inputs: list[Any] = []
    for meta in metas:
        if meta.data is None and dtype_of(meta.dtype).is_floating_point and meta.name not in scalars:
            inputs.append(torch.ones(meta.shape, dtype=dtype_of(meta.dtype)))
        else:
            inputs += replay([meta], 0, 1.0, scalars=scalars)
    return inputs


def _cases(eager: Reference, runner: RemoteRunner, report: Report) -> Iterator[Case | str]:
    """For each of the checks a case, ready to be handed over, or why there is none."""
    for check in CHECKS:
        case: Case | str
        try:
            with report.own_work("running the graph without the submission"):
                case = _case(eager, check) or "No input can be changed in this way."
                if isinstance(case, Case):
                    runner.share(case, judged=False)
        except Decided as problem:
            case = problem.message
        yield case


def _case(eager: Reference, check: _Check) -> Case | None:
    inputs = eager.inputs(InputSet(check.name, check.spread))
    changed = [_changed(value, check.change) for value in inputs]
    differs = check.change is _same or any(new is not old for new, old in zip(changed, inputs, strict=True))
    return eager.case_of(changed) if differs else None


def _changed(value: Any, change: Change) -> Any:
    """Only floating-point inputs are changed: others are indices, masks and sizes."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return value
    return change(value)


def _compared(check: _Check, case: Case, outputs: Sequence[Any]) -> GeneralCheck:
    """NaN and Inf are right where the graph has them, and nowhere else; the rest is compared as always."""
    expected, found = list(case.expected), list(outputs)
    for at, (one, other) in enumerate(zip(case.expected, outputs, strict=False)):
        pair = _finite(one, other)
        if pair is None:
            return _outcome(check, "no", f"Output {at} has NaN or Inf in other places than the graph's.")
        expected[at], found[at] = pair
    reports = compare(expected, found)
    if is_right(reports):
        return _outcome(check, "yes", "")
    return _outcome(check, "no", inaccuracy(reports, verdict(reports)))


def _finite(expected: Any, found: Any) -> tuple[Any, Any] | None:
    """Both with zeros in place of NaN and Inf; None where these differ."""
    if not isinstance(expected, torch.Tensor) or not isinstance(found, torch.Tensor):
        return expected, found
    if not expected.is_floating_point() or expected.shape != found.shape or expected.dtype != found.dtype:
        return expected, found
    expected = expected.cpu()
    odd = ~torch.isfinite(expected)
    if not torch.equal(odd, ~torch.isfinite(found)):
        return None
    if not torch.equal(expected[odd].nan_to_num(1.0, 2.0, 3.0), found[odd].nan_to_num(1.0, 2.0, 3.0)):
        return None
    return expected.masked_fill(odd, 0.0), found.masked_fill(odd, 0.0)


def _outcome(check: _Check, outcome: str, detail: str) -> GeneralCheck:
    return {"name": check.name, "outcome": outcome, "detail": detail[:_LONGEST]}
