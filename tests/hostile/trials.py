"""What on_a_gpu.py tries: the tables and lists that the tests use, as jobs, and what must become of each."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import acceptance
import guard_tricks
import small
from known import BY_NATURE, ONLY_ON_A_GPU, ONLY_READ, SOMETHING_ELSE

from evaluator.job import Job, Limits
from tests.evaluator.integrity.cases_text import NEEDS_A_GPU, OTHER_GRAPHS, read_cases

LIMITS = Limits(import_seconds=20, call_seconds=20, measure_seconds=60, run_seconds=90, memory_bytes=4 << 30)
WHOLE, GUARDS, TIMED = "whole", "guards", "timed"
ATTEMPT, HONEST = "trick", "honest"
#: Tables whose tricks and honest passes are about the device: they are tried with the clock running, too.
ABOUT_THE_DEVICE = ("cuda.txt", "device_state.txt")
SLOW_EAGER = "baseline_tampering"
_WEIGHT = {"note": 0, "suspicious": 1, "violation": 2}
_GRAPH = (small.sample("one", rows=2),)  # as many values as the smallest block of the launchers


@dataclass(frozen=True)
class Trial:
    kind: str
    layer: str
    name: str
    job: Job
    expected: str | None = None  # finding class of a trick; None: any answer will do
    severity: str = "violation"
    may_pass: bool = False  # a trick that comes out clean and right, because it changes nothing
    noise: frozenset[str] = frozenset()  # classes that do not count: the device was shared while eager was timed
    may_fail: bool = False  # an honest pass that is written for another graph
    good: frozenset[str] = frozenset({"correct", "no_match"})  # statuses of an honest pass's graphs

    @property
    def alone(self) -> bool:
        """Whether the device must do nothing else meanwhile: who shares it looks slow, and is not to be accused."""
        return self.layer == TIMED and self.kind == HONEST


def trials(device: str, cases: Path | None = None) -> list[Trial]:
    """All of them; those about the device come first."""
    found = [*_of_tables(device), *_of_guard_tricks(device), *(_of_acceptance(cases, device) if cases else ())]
    return sorted(found, key=lambda one: (one.layer != TIMED, one.name.partition(":")[0] not in ABOUT_THE_DEVICE))


def _of_tables(device: str) -> Iterator[Trial]:
    for folder in ("attempts", "run_time", "by_conduct", "honest"):
        for case in read_cases(folder):
            name = f"{case.table}: {case.name}"
            about = case.table in ABOUT_THE_DEVICE
            if folder == "honest":
                if case.name in ONLY_READ:
                    continue
                other = SOMETHING_ELSE | OTHER_GRAPHS | (NEEDS_A_GPU if device == "cpu" else set())
                may_fail = case.name in other
                yield Trial(HONEST, WHOLE, name, _job(case.files, device, "untimed"), may_fail=may_fail)
                if about and device != "cpu":
                    yield Trial(HONEST, TIMED, name, _job(case.files, device, ""))
                continue
            may_pass = case.name in BY_NATURE or (device == "cpu" and (about or case.name in ONLY_ON_A_GPU))
            if folder == "attempts":
                yield Trial(ATTEMPT, WHOLE, name, _job(case.files, device, "untimed"), case.expected, case.severity)
            if not (about and device != "cpu"):
                yield Trial(
                    ATTEMPT, GUARDS, name, _job(case.files, device, "unread untimed"), None, case.severity, may_pass
                )
            else:  # with the clock running instead, which is what such tricks are about
                yield Trial(
                    ATTEMPT, TIMED, name, _job(case.files, device, "unread"), None, case.severity, may_pass,
                    noise=frozenset({SLOW_EAGER}) - {case.expected},
                )  # fmt: skip


def _of_guard_tricks(device: str) -> Iterator[Trial]:
    for name, (body, top, wanted) in guard_tricks.ATTEMPTS.items():
        expected = None if device != "cpu" and name in guard_tricks.BY_CHANCE else wanted
        yield Trial(
            ATTEMPT, GUARDS, f"guard_tricks: {name}", _job(small.files(body, top), device, "unread untimed"), expected
        )
    for name, (body, top) in guard_tricks.HONEST.items():
        yield Trial(HONEST, GUARDS, f"guard_tricks: {name}", _job(small.files(body, top), device, "unread untimed"))


def _of_acceptance(root: Path, device: str) -> Iterator[Trial]:
    for submission in acceptance.submissions(root):
        job, expected = acceptance.read(root, submission)
        asked = Job(**{**vars(job), "run_id": "untimed", "device": device})
        if expected["must_flag"] is not None:
            yield Trial(ATTEMPT, WHOLE, f"cases: {submission}", asked, expected["must_flag"])
        elif submission.startswith("ok_"):
            # eager rounds float16 after each operator on a device: there an honest kernel may first agree at a larger t
            rounded = device != "cpu" and '"gpu_also_accept": ["accuracy"]' in json.dumps(expected)
            good = Trial.good | ({"accuracy"} if rounded else set())
            yield Trial(HONEST, WHOLE, f"cases: {submission}", asked, good=good)


def _job(files: dict[str, str], device: str, asked: str) -> Job:
    return Job(files, _GRAPH, device=device, limits=LIMITS, run_id=asked, baselines=())


def outcome(trial: Trial, events: list[dict[str, Any]]) -> tuple[bool, str, str]:
    """Whether it was judged as it must be, the verdict, and what was found, in words."""
    if not events or events[-1]["event"] != "run_done":
        return False, "none", f"the run ended with {events[-1] if events else 'nothing'}"
    last = events[-1]
    found = {(one["class"], one["severity"]) for one in last["findings"]}
    statuses = {result["status"] for result in last["graphs"].values()}
    clean = last["verdict"] == "clean"
    words = " ".join(sorted({name for name, severity in found if severity != "note"} | (statuses if clean else set())))
    if trial.kind == HONEST:
        return clean and (trial.may_fail or statuses <= trial.good), last["verdict"], words
    if trial.expected is not None:
        grave = [severity for name, severity in found if name == trial.expected]
        right = any(_WEIGHT[severity] >= _WEIGHT[trial.severity] for severity in grave)
        return right, last["verdict"], words
    telling = {name for name, severity in found if severity != "note"} - trial.noise
    answered = bool(telling) or "correct" not in statuses
    return answered or trial.may_pass, last["verdict"], words
