"""The judge's part of measuring a graph whose candidate is right: what to time, and whether to believe it.

The judge draws the values and the seeds, verifies outputs of timed calls, computes every ratio from the samples, and
times eager in its own process, which no submission can reach.
"""

import contextlib
import secrets
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch

from evaluator import precision
from evaluator.engine.compare import compare
from evaluator.engine.inputs import INPUT_SETS
from evaluator.events import Finding, OutputReport
from evaluator.job import Job
from evaluator.measure.baselines import compile_baseline
from evaluator.measure.device_state import read_state
from evaluator.measure.rounds import PRECISION
from evaluator.measure.session import BASELINE, CANDIDATE, DIRECT, time_alone
from evaluator.measure.values import StaticInputs, rolled_inputs, round_values
from evaluator.runner import calibration, seeds, speed_events
from evaluator.runner.measured import Answer
from evaluator.runner.reference import Case, Reference
from evaluator.runner.remote_runner import RemoteRunner
from evaluator.runner.report import Report
from evaluator.verdicts import FindingClass, Severity

Tell = Callable[[Finding], None]

SETS = 2  # of values; every round has its own, made from one of them
_VERIFIED = 16  # room for the outputs of so many timed calls
_MOST_SEEDS = 2  # descriptors that a request has room for
_COMPILE_SECONDS = 300.0
_MOST_CODE = 32_000  # characters of what a compiler wrote for one graph

#: A runner's eager that is slower than the judge's by more than this factor, by `graph`, was made slower. Nobody is
#: accused by `e2e`: on an H200 host the same call took 63 µs in one process and 130 in the next, with nobody to blame.
SLOWER = {"graph": 1.10}
_PROVEN = 1.5


@dataclass(frozen=True)
class Values:
    """Values of the timed calls: a secret until the calls begin."""

    sets: list[list[Any]]
    rolled: list[bool]
    seed: str


def measure(
    job: Job, index: int, eager: Reference, like: Case, runner: RemoteRunner, report: Report, tell: Tell
) -> None:
    """Measure one graph and report it. Raises Decided where the candidate fails while it is timed.

    `tell` takes what was found out about the submission meanwhile.
    """
    state = read_state()
    with report.own_work("drawing the values of timed calls"):
        values = Values(
            [eager.case(INPUT_SETS[1]).inputs for _ in range(SETS)], rolled_inputs(eager.metas), secrets.token_hex(16)
        )
    files = _baseline_seeds(job, index, eager, like, report)
    answer, outputs = runner.measure(
        index,
        _request(job, values),
        [value for one in values.sets for value in one],
        [*like.expected] * _VERIFIED,
        files,
    )
    with report.own_work("verifying timed calls", _COMPILE_SECONDS):
        for finding in _verify(eager, like, values, answer, outputs, report):
            tell(finding)
        work = speed_events.work_of(eager, values.sets[0])
        for finding in _notice(eager, values, answer, work):
            tell(finding)
        for timing in speed_events.timings(answer, job.profile):
            report.timed(timing)
        for profile in speed_events.kernels(answer):
            report.profiled(profile)
        if work is not None:
            report.measured("roofline", speed_events.roofline(work, answer))
        report.measured("device", device(state))


def device(before: Any = None) -> dict[str, Any]:
    """Payload of `device`: what it is, what it reaches, what state it is in, and which flags are pinned."""
    rates, after = calibration.rates(), read_state()
    return {
        "name": calibration.device_name(),
        "flags": precision.flags(),
        "rates": None if rates is None else asdict(rates),
        "facts": calibration.facts(),
        "before": None if before is None else asdict(before),
        "after": None if after is None else asdict(after),
    }


def _request(job: Job, values: Values) -> dict[str, Any]:
    return {
        "sets": len(values.sets),
        "rolled": values.rolled,
        "seed": values.seed,
        "order": secrets.randbits(48),
        "profile": job.profile,
        "methods": ["e2e"] if job.device == "cpu" else ["gpu", "graph", "e2e"],
        "precision": {key: asdict(one) for key, one in PRECISION.items()},
        "baselines": list(job.baselines),
    }


def _baseline_seeds(job: Job, index: int, eager: Reference, like: Case, report: Report) -> list[int]:
    """Open seeds of the baselines, compiled here when there are none yet: the judge's process is not a submission's."""
    found = []
    for name in job.baselines[:_MOST_SEEDS]:
        path = seeds.path_of(job.graphs[index], calibration.device_name() or job.device, name)
        if not path.exists():
            with report.own_work(f"compiling the graph with {name}", _COMPILE_SECONDS), contextlib.suppress(Exception):
                # Should it fail, it fails in the runner too, which says why this baseline can not be had.
                seeds.make(path, partial(compile_baseline, name, eager.module, like.inputs))
        descriptor = seeds.opened(path)
        if descriptor is not None:
            found.append(descriptor)
            if (code := seeds.generated_code(path)) is not None:
                cut = len(code) > _MOST_CODE
                report.measured("compiler_code", {"backend": name, "text": code[:_MOST_CODE], "truncated": cut})
    return found


def _verify(
    eager: Reference, like: Case, values: Values, answer: Answer, outputs: Sequence[Any], report: Report
) -> Iterator[Finding]:
    """Compare what timed calls returned with what eager returns for the same values."""
    width = len(like.expected)
    wrong: list[tuple[str, int, list[OutputReport]]] = []
    for at, (method, number, copy) in enumerate(answer.verified):
        found = [_near(value, eager.device) for value in outputs[at * width : (at + 1) * width]]
        inputs = round_values(values.sets, values.rolled, values.seed, method, number, copy)
        compared = compare(eager.returned(inputs, like.random_seed), found)
        if speed_events.worse(compared, report.outputs):
            wrong.append((method, number, compared))
    if wrong and eager.is_random(values.sets[0]):
        wrong = []  # nobody can say what a timed call should have returned
    report.measured("verified", {"calls": len(answer.verified), "wrong": len(wrong)})
    if wrong:
        method, number, compared = wrong[0]
        report.correctness("timed calls", compared, {})
        words = (
            f"{len(wrong)} of {len(answer.verified)} outputs of timed calls are less exact than those of untimed ones"
        )
        yield _found(FindingClass.PHASE_DETECTION, Severity.SUSPICIOUS, f"{words}; first, round {number} of {method}")


def _near(value: Any, device: str) -> Any:
    return value.to(device) if isinstance(value, torch.Tensor) else value


def _found(name: FindingClass, severity: Severity, evidence: str) -> Finding:
    found = {"class": name, "severity": severity, "file": None, "line": None, "evidence": evidence, "check": "timing"}
    return found  # type: ignore[return-value]


def _notice(eager: Reference, values: Values, answer: Answer, work: speed_events.Work | None) -> Iterator[Finding]:
    """What the session itself shows."""
    for name in answer.changed:
        words = f"{name} is not what it was before the submission was loaded"
        yield _found(FindingClass.MONKEYPATCH, Severity.VIOLATION, words)
    inputs = StaticInputs(values.sets, values.rolled, values.seed)
    least = work.floor if work is not None else None
    for one in answer.timed:
        if one.entry != DIRECT or BASELINE not in one.samples:
            continue
        theirs = statistics.median(one.samples[BASELINE])
        ours = _slowest(eager, inputs, one.method, theirs) if one.method in SLOWER else None
        if ours is not None and theirs > ours * SLOWER[one.method] + 1.0:
            words = f"eager takes {theirs:.1f} µs beside the submission and {ours:.1f} µs alone, by {one.method}"
            severity = Severity.VIOLATION if theirs > ours * _PROVEN else Severity.SUSPICIOUS
            yield _found(FindingClass.BASELINE_TAMPERING, severity, words)
        if one.method == "graph" and least is not None and CANDIDATE in one.samples:
            time = statistics.median(one.samples[CANDIDATE])
            if time < 0.9 * least.total:
                words = f"{time:.2f} µs by graph, though inputs and outputs alone take {least.total:.2f} µs"
                yield _found(FindingClass.IMPOSSIBLE_SPEED, Severity.NOTE, words)


def _slowest(eager: Reference, inputs: StaticInputs, method: str, theirs: float) -> float | None:
    """Our own median for eager; measured again, and the slower one taken, before anybody is accused."""
    with torch.no_grad():
        ours = time_alone(eager.module.forward, inputs, method)
        if ours is not None and theirs > ours * SLOWER[method]:
            again = time_alone(eager.module.forward, inputs, method, 50)
            ours = max(ours, again or 0.0)
    return ours
