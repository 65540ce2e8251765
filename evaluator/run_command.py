"""`python -m evaluator run`: read a task and a submission from disk, judge, and print."""

import contextlib
import json
import math
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

from evaluator import bundle
from evaluator.job import Job, Limits
from graphs.problems import TooLarge
from graphs.samples import Sample, is_sample, is_task, read_pass_dir, read_sample, read_task

FAULT = 3


class BadArguments(Exception):
    """The command line asks for something that is not there."""


def read_job(
    task: Path, submission: Path, device: str, profile: str, graphs: str | None, limits: Sequence[str]
) -> tuple[Job, str | None]:
    """The job that a command line asks for, and why its submission is too large to be read, if it is.

    Raises BadArguments, ReadProblem, OSError.
    """
    check_device(device)
    samples = read_samples(task, graphs)
    job = Job({}, tuple(samples), device, profile, _limits(limits))
    try:
        return replace(job, files=read_pass_dir(submission)), None
    except TooLarge as problem:
        return job, str(problem)


def check_device(device: str) -> None:
    """Raises BadArguments unless it is "cpu", "cuda" or one of several CUDA devices, "cuda:1" or "cuda:H200"."""
    kind, colon, which = device.partition(":")
    if device != "cpu" and (kind != "cuda" or (colon and not which)):
        raise BadArguments(f"--device {device}: it is cpu or cuda")


def read_samples(task: Path, graphs: str | None) -> list[Sample]:
    """The graphs of a task folder, or a single sample; only those named in `graphs` ("a,b"), if it is given.

    What is odd about them (a hash that does not fit, a missing graph_net.json) is said on standard error.
    Raises BadArguments, ReadProblem, OSError.
    """
    samples = _read_samples(task)
    if graphs is not None:
        samples = _choose(samples, [name.strip() for name in graphs.split(",") if name.strip()])
    for sample in samples:
        _warn(sample.warnings)
    return samples


Record = Callable[[str, dict[str, Any]], None]


def run(job: Job, refused: str | None, *, as_json: bool, record: Record = lambda *_: None) -> NoReturn:
    """Judge and print; ends the process with the exit status. Ctrl-C and SIGTERM end everything that the run started.

    `refused`: why the submission can not be read; that is a verdict like any other. `record` takes every event too.
    """
    from evaluator.runner import isolation, results, supervise, warm
    from evaluator.runner.devices import torch_device
    from evaluator.table import Table

    if (refusal := isolation.refusal()) is not None:
        print(f"evaluator: {refusal}", file=sys.stderr)
        leave(FAULT)
    emit: Callable[[str, dict[str, Any]], None] = _print_json if as_json else Table(sys.stdout).event
    stop = _Stop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    last: dict[str, Any] = {}

    def tell(kind: str, payload: dict[str, Any]) -> None:
        record(kind, payload)
        emit(kind, payload)
        if kind == "run_done":
            last.update(payload)

    try:
        warm.warm_up(torch_device(job.device), for_one_run=True)
        if refused is not None:
            status = supervise.refuse(job, tell, refused)
        else:
            status = supervise.run_job(job, tell, stop.requested)
    except warm.CannotWarm as problem:
        print(f"evaluator: {problem}", file=sys.stderr)
        status = FAULT
    except BrokenPipeError:  # whoever read our output has enough
        status = supervise.CANCELLED
    if status == supervise.JUDGED and as_json:
        _print_json("result", results.summary(last))
    leave(status)


def open_bundle(path: Path, out: Path) -> tuple[Job, Record]:
    """The job of a bundle, and what writes its events to `out`, a line each. Raises BadBundle, OSError."""
    job = bundle.read_bundle(path)
    file = out.open("w", encoding="utf-8")

    def write(event: dict[str, Any]) -> None:
        print(json.dumps(event), file=file, flush=True)

    write(bundle.origin(path, job))
    return job, lambda kind, payload: write({"event": kind, **payload})


class _Stop:
    """A signal handler that remembers."""

    def __init__(self) -> None:
        self._requested = False

    def __call__(self, *_: object) -> None:
        self._requested = True

    def requested(self) -> bool:
        return self._requested


def leave(status: int) -> NoReturn:
    """End this process now.

    Triton's bindings complain at length when an interpreter that has run `gc.freeze` is taken apart.
    """
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _print_json(kind: str, payload: dict[str, Any]) -> None:
    print(json.dumps({"event": kind, **payload}), flush=True)


def _read_samples(task: Path) -> list[Sample]:
    if is_task(task):
        found = read_task(task)
        _warn(found.warnings)
        folders = [(name, task / name) for name in found.graphs]
    elif is_sample(task):
        folders = [(task.name, task)]
    else:
        raise BadArguments(f"{task} is neither a task (graph_list.txt) nor a sample (model.py and weight_meta.py)")
    samples = [(name, read_sample(folder)) for name, folder in folders]
    counts = Counter(sample.name for _, sample in samples)
    return [sample if counts[sample.name] == 1 else replace(sample, name=name) for name, sample in samples]


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        print(f"evaluator: {warning} (a warning)", file=sys.stderr)


def _choose(samples: list[Sample], wanted: list[str]) -> list[Sample]:
    known = {sample.name for sample in samples}
    missing = [name for name in wanted if name not in known]
    if missing or not wanted:
        raise BadArguments(f"--graphs {','.join(missing)}: the task has {', '.join(sorted(known))}")
    return [sample for sample in samples if sample.name in wanted]


def _limits(settings: Sequence[str]) -> Limits:
    types = {field.name: field.type for field in fields(Limits)}
    values: dict[str, Any] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in types:
            raise BadArguments(f"--limit {setting}: there is {', '.join(types)}")
        try:
            values[name] = int(text) if types[name] is int else float(text)
        except ValueError as problem:
            raise BadArguments(f"--limit {setting}: {text!r} is no number") from problem
        if not 0 < values[name] < math.inf:
            raise BadArguments(f"--limit {setting}: a limit is a number above 0")
    return Limits(**values)
