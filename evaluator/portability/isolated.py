"""Tracing a submission's patterns in a shut-in process: they are other people's code."""

import json
import os
import select
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.job import Job, Limits
from evaluator.portability.rules import RULES, Finding
from evaluator.runner import isolation, linux, processes, workspace
from graphs.samples import Sample

SECONDS = 60.0
_LARGEST = 8 << 20


@dataclass(frozen=True)
class GraphRow:
    """Matches of one pass on one graph: ours, and torch's SubgraphMatcher on the pattern as published."""

    graph: str
    name: str
    ours: int
    published: int
    why: str | None


@dataclass(frozen=True)
class Traced:
    """What tracing showed. `problem`: why there is nothing, or not all."""

    findings: tuple[Finding, ...] = ()
    rows: tuple[GraphRow, ...] = ()
    problem: str | None = None


def trace(files: dict[str, str], samples: Sequence[Sample], seconds: float = SECONDS) -> Traced:
    """Trace the passes of a submission and match them on graphs. The evaluator has to be warm (`runner.warm`)."""
    linux.adopt_orphans()
    before = frozenset(processes.descendants(os.getpid()))
    reader, writer = os.pipe2(os.O_CLOEXEC)
    null = os.open(os.devnull, os.O_WRONLY)
    job = Job(files, tuple(samples), limits=Limits(run_seconds=seconds))
    with tempfile.TemporaryDirectory(prefix="passnet-portability-") as folder:
        main = partial(_main, job, writer)
        process = isolation.start(main, job, Path(folder), keep=[writer], stdio=(None, null, null))
        os.close(writer)
        os.close(null)
        try:
            data = _read(reader, seconds)
        finally:
            process.kill()
            process.wait()
            processes.kill_descendants(before)
            os.close(reader)
    if data is None:
        return Traced(problem=f"its patterns are not traced within {seconds:g} s")
    try:
        return _traced(json.loads(data))
    except (ValueError, KeyError, TypeError):
        return Traced(problem="the process that traced its patterns ended too early")


def _main(job: Job, pipe: int, folder: Path) -> None:
    said = json.dumps(_look(job, folder)).encode()
    while said:
        said = said[os.write(pipe, said) :]


def _look(job: Job, folder: Path) -> dict[str, Any]:
    from evaluator.engine.build import UnsupportedTarget, build
    from evaluator.engine.load import BadSubmission, load_submission
    from evaluator.engine.passes import PatternError, apply_passes
    from evaluator.portability import published_trace
    from graphs.fx_source import parse
    from graphs.problems import ReadProblem

    findings: list[Finding] = []
    rows: list[GraphRow] = []
    try:
        workspace.write_files(job.files, folder)
        passes = load_submission(folder / workspace.PASS_DIR)
        for item in passes:
            findings += published_trace.check(item)
        for sample in job.graphs:
            module = build(parse(sample.source))
            for item in passes:
                published, why = published_trace.literal_matches(item, module.graph)
                applied = apply_passes(module, (item,))
                reason = why if published < applied.matches else None
                rows.append(GraphRow(sample.name, item.name, applied.matches, published, reason))
                module = applied.module
    except (workspace.UnsafeName, BadSubmission, PatternError, UnsupportedTarget, ReadProblem, OSError) as problem:
        return _said(findings, rows, str(problem))
    return _said(findings, rows, None)


def _said(findings: list[Finding], rows: list[GraphRow], problem: str | None) -> dict[str, Any]:
    return {"findings": [asdict(one) for one in findings], "rows": [asdict(row) for row in rows], "problem": problem}


def _traced(said: dict[str, Any]) -> Traced:
    findings = tuple(Finding(**one) for one in said["findings"] if one["rule"] in RULES)
    return Traced(findings, tuple(GraphRow(**row) for row in said["rows"]), said["problem"])


def _read(reader: int, seconds: float) -> bytes | None:
    """All that comes until the other end is closed; None when that takes too long, or is too much."""
    end = time.monotonic() + seconds
    data = b""
    while len(data) < _LARGEST:
        ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return None
        read = os.read(reader, 1 << 16)
        if not read:
            return data
        data += read
    return None
