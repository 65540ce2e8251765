"""Verified calls beyond the first few: who behaves well only while it is checked does not know when that ends.

How many there are, on which inputs, and which of them are watched closely is drawn anew for every graph. A call that
is wrong where the first ones were right is looked at again in a fresh process, on the same inputs. Most of them
share a part of their values with the call before.
"""

import contextlib
import secrets
import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from evaluator.engine.compare import compare
from evaluator.engine.inputs import INPUT_SETS
from evaluator.events import OutputReport
from evaluator.integrity import probes
from evaluator.measure.values import rolled_inputs
from evaluator.runner.ahead import Ahead
from evaluator.runner.decided import Decided
from evaluator.runner.findings import Findings
from evaluator.runner.history import History, is_right
from evaluator.runner.reference import Case, Reference
from evaluator.runner.remote_runner import RemoteRunner
from evaluator.runner.report import Report
from evaluator.scoring import CORRECT_AT
from evaluator.verdicts import FindingClass, Severity

FEWEST, MOST = 6, 12
_SECONDS = 1.0  # after so much time there are no more of them than this:
_AT_LEAST = 3
_SLOW_SECONDS = 5.0  # one call of a graph that is too slow for even that many
_MOSTLY = 0.5  # of an output: the allocator itself writes into the first bytes of what is free
_STRETCHES = (2, 8, 64)  # one of so many parts of a tensor has new values, and the rest is as it was
_SLACK = 2  # steps of t by which a draw of inputs may be less lucky than those before


def verify(
    index: int, eager: Reference, runner: RemoteRunner, report: Report, history: History, tell: Findings
) -> None:
    """Make the calls; the first that is worse than those before counts, and ends them. Raises Decided."""
    until = time.monotonic() + _SECONDS
    closely_at = secrets.randbelow(_AT_LEAST)
    # On a GPU outputs of timed calls are verified too (speed.py): fewer calls do here.
    many = _AT_LEAST if eager.device != "cpu" else FEWEST + secrets.randbelow(MOST - FEWEST + 1)
    cases = Ahead(_cases(eager, many, runner, report))
    for number, case in enumerate(cases):
        started = time.monotonic()
        closely = number == closely_at or secrets.randbelow(2) == 0
        returned = runner.call(index, case, closely=closely, meanwhile=cases.make)
        with report.own_work("comparing the outputs"):
            outputs = compare(case.expected, returned.outputs)
            again = history.add(returned.outputs, outputs)
            for finding in again:
                tell(finding)
            worse = _is_worse(outputs, report.outputs)
            if worse:
                was_right = is_right(report.outputs)
                explanation = eager.explain(case, returned.outputs, outputs) if not report.explained else {}
                report.correctness(f"later call {number + 1}", outputs, explanation)
        if worse:
            if was_right:
                _ask_again(index, case, returned.outputs, number + 1, runner, tell, kept=bool(again))
            return
        now = time.monotonic()
        if now - started > _SLOW_SECONDS or (now > until and number + 1 >= _AT_LEAST):
            return


def _cases(eager: Reference, many: int, runner: RemoteRunner, report: Report) -> Iterator[Case]:
    before = None
    for number in range(many):
        with report.own_work("running the graph without the submission"):
            case = eager.case(secrets.choice(INPUT_SETS[1:]))
            if before is not None and number % _AT_LEAST:
                case = eager.case_of(partly(before.inputs, case.inputs, rolled_inputs(eager.metas)))
            before = case
            runner.share(case)
        yield case


def partly(before: Sequence[Any], new: Sequence[Any], may: Sequence[bool]) -> list[Any]:
    """The inputs `before`, but for one stretch at random of each tensor that `may` have other values: that is `new`.

    Who knows inputs again by a sample of their values meets those that agree in the sample, and differ beside it.
    """
    share = secrets.choice(_STRETCHES)
    found = []
    for old, value, free in zip(before, new, may, strict=True):
        if free and isinstance(value, torch.Tensor) and value.element_size() > 1 and value.numel() > 1:
            stretch = torch.arange(value.numel(), device=value.device) < max(1, value.numel() // share)
            stretch = stretch.roll(secrets.randbelow(value.numel())).view(value.shape)
            value = torch.where(stretch, value, old, out=value.clone())
        found.append(value)
    return found


def _ask_again(
    index: int,
    case: Case,
    outputs: Sequence[Any],
    number: int,
    runner: RemoteRunner,
    tell: Findings,
    *,
    kept: bool,
) -> None:
    """The same inputs once more, watched closely, and as the first call of a fresh process: is it right there?

    `kept`: what came out is that of an earlier call. That, and memory that nobody wrote, is no mistake in a kernel.
    """
    seen = list(outputs)
    with contextlib.suppress(Decided):  # what it allocates is filled there, so that it shows what nobody wrote
        seen += runner.call(index, case, closely=True).outputs
    runner.load()
    if not is_right(compare(case.expected, runner.call(index, case).outputs)):
        return
    unwritten = any(probes.unwritten(output) > _MOSTLY for output in seen)
    how = "what memory held before" if unwritten or kept else "something else"
    words = f"later call {number} returns {how}, for inputs on which a first call is right"
    tell(
        probes.found(
            FindingClass.PHASE_DETECTION, words, Severity.VIOLATION if unwritten or kept else Severity.SUSPICIOUS
        )
    )


def _is_worse(outputs: Sequence[OutputReport], before: Sequence[OutputReport]) -> bool:
    """Whether outputs are so much worse that another draw of inputs does not explain it."""
    if _is_hopeless(outputs):
        return not _is_hopeless(before)
    known = max((one["first_t"] for one in before if one["first_t"] is not None), default=CORRECT_AT)
    return any(one["first_t"] is not None and one["first_t"] > max(known, CORRECT_AT) + _SLACK for one in outputs)


def _is_hopeless(outputs: Sequence[OutputReport]) -> bool:
    """Wrong at every t."""
    return any(one["mismatch"] is not None or one["first_t"] is None for one in outputs)
