"""A failing comparison as a script for the author, on an input as small as still fails."""

import secrets
import time
from collections.abc import Sequence

import torch

from evaluator.engine.compare import compare, verdict
from evaluator.engine.inputs import INPUT_SETS, InputProblem, replay
from evaluator.engine.reproduce import Failing, script
from evaluator.engine.shrink import shrink
from evaluator.job import Job
from evaluator.runner.answers import Applied
from evaluator.runner.decided import Decided
from evaluator.runner.reference import Reference
from evaluator.runner.remote_runner import RemoteRunner
from evaluator.runner.report import Report
from evaluator.verdicts import Status
from graphs.problems import ReadProblem
from graphs.samples import TensorMeta

_SECONDS = 3.0
_LONGEST = 200_000  # characters: the submission's files travel in the script
_SPREAD = INPUT_SETS[-1].spread


def tell(job: Job, index: int, applied: Applied, eager: Reference, runner: RemoteRunner, report: Report) -> None:
    """Report a script that shows the difference; nothing where inputs drawn anew are right, or it would be too long."""
    until = time.monotonic() + _SECONDS
    seed = secrets.randbits(63)

    def fails(metas: Sequence[TensorMeta]) -> bool:
        if time.monotonic() > until:
            return False
        try:
            with report.own_work("running the graph on smaller inputs"):
                inputs = replay(list(metas), seed, _SPREAD, eager.device, scalars=eager.scalars)
                case = eager.case_of(inputs)
            found = runner.call(index, case)
            with report.own_work("comparing the outputs"):
                return verdict(compare(case.expected, found.outputs)).status is Status.ACCURACY
        except (Decided, InputProblem, RuntimeError):
            return False  # the graph, or the launcher, does not take this size

    if not fails(eager.metas):
        return
    smaller = shrink(eager.metas, fails)
    failing = Failing(
        title=f"{job.graphs[index].name}: an output is not correct at t = -5",
        reference=job.graphs[index].source,
        candidate=applied.code,
        pass_names=list(applied.per_pass),
        files=job.files,
        metas=smaller,
        seed=seed,
        spread=_SPREAD,
        device="cpu" if eager.device == "cpu" else torch.device(eager.device).type,
        scalars=eager.scalars,
    )
    try:
        text = script(failing)
    except ReadProblem:
        return  # a rewritten graph that can be run and not be printed
    if len(text) <= _LONGEST:
        report.measured("reproduction", {"script": text, "shapes": [list(meta.shape) for meta in smaller]})
