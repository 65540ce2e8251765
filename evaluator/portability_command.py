"""`python -m evaluator portability`: what the published harness would refuse of a submission, or do in another way."""

import importlib.util
import json
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from evaluator.portability import RULES, Finding, check_files
from evaluator.portability.isolated import GraphRow, Traced, trace
from graphs.samples import Sample, read_pass_dir

_MARKS = {"fails": "■", "differs": "▲", "note": "·"}
_LEVELS = ("fails", "differs", "note")
_WIDTH = 110
BASIS = (
    "Known from the harness's public source and what it calls; the harness itself was not run. See docs/portability.md."
)


def run(submission: Path, task: Path | None, *, as_json: bool) -> NoReturn:
    """Check and print; ends the process, with status 0 whatever was found.

    Raises BadArguments, ReadProblem, OSError.
    """
    from evaluator.run_command import leave, read_samples

    files = read_pass_dir(submission)
    samples = [] if task is None else read_samples(task, None)
    found = check_files(files)
    traced = _traced(files, samples)
    findings = merged(found, (*traced.findings, *missed(traced.rows)))
    if as_json:
        print(json.dumps(_as_json(findings, traced)))
    else:
        _print(findings, traced)
    leave(0)


def merged(text: list[Finding], traced: tuple[Finding, ...]) -> list[Finding]:
    """Both looks, each fact once, the worst first."""
    known = {(one.rule, one.file, one.found) for one in text}
    more = [one for one in dict.fromkeys(traced) if (one.rule, one.file, one.found) not in known]
    return sorted([*text, *more], key=lambda one: (_LEVELS.index(one.level), one.file, one.line or 0, one.rule))


def missed(rows: tuple[GraphRow, ...]) -> Iterator[Finding]:
    """One finding for each pass and reason for which the published matcher finds less."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.published < row.ours:
            why = row.why or "the calls are alike, their connections are not"
            reasons.setdefault((row.name, why), []).append(row.graph)
    for (name, why), graphs in reasons.items():
        which = graphs[0] if len(graphs) == 1 else f"{graphs[0]} and {len(graphs) - 1} more"
        yield Finding("literal_matching", f"{name}.py", None, f"missed on {which}: {why}")


def _traced(files: dict[str, str], samples: list[Sample]) -> Traced:
    if importlib.util.find_spec("torch") is None:
        return Traced(problem="torch is not installed: only the text was looked at")
    from evaluator.runner import environment, warm

    environment.restart_scrubbed()
    try:
        warm.warm_up("cpu")
    except warm.CannotWarm as problem:
        return Traced(problem=str(problem))
    return trace(files, samples)


def _as_json(findings: list[Finding], traced: Traced) -> dict[str, Any]:
    counts = _counts(findings)
    return {
        "portable": not counts["fails"] and not any(row.published < row.ours for row in traced.rows),
        "counts": {level: counts[level] for level in _LEVELS},
        "findings": [
            {
                **asdict(one),
                "level": one.level,
                "basis": RULES[one.rule].basis,
                "theirs": RULES[one.rule].theirs,
                "instead": RULES[one.rule].instead,
            }
            for one in findings
        ],
        "graphs": [
            {"graph": row.graph, "pass": row.name, "matches": row.ours, "published": row.published, "why": row.why}
            for row in traced.rows
        ],
        "problem": traced.problem,
        "basis": BASIS,
    }


def _print(findings: list[Finding], traced: Traced) -> None:
    for rule in dict.fromkeys(one.rule for one in findings):
        known = RULES[rule]
        print(f"{_MARKS[known.level]} {known.level:<8} {rule}{' (inferred)' if known.basis == 'inferred' else ''}")
        for one in findings:
            if one.rule == rule:
                _print_wrapped(f"{one.file}{f':{one.line}' if one.line else ''}: {one.found}")
        _print_wrapped(f"there: {known.theirs}")
        _print_wrapped(f"instead: {known.instead}")
    if traced.rows:
        _print_rows(traced.rows)
    if traced.problem:
        print(f"{_MARKS['differs']} the patterns could not be traced: {traced.problem}")
    counts = _counts(findings)
    print("\n" if findings or traced.rows else "", end="")
    print(_summary(counts))
    print(BASIS)


def _print_rows(rows: tuple[GraphRow, ...]) -> None:
    width = max(len(f"{row.graph}  {row.name}") for row in rows)
    print(f"\n  {'graph, pass':<{width}}  matches  SubgraphMatcher")
    for row in rows:
        mark = "●" if row.published == row.ours else _MARKS["differs"]
        print(f"{mark} {f'{row.graph}  {row.name}':<{width}}  {row.ours:>7}  {row.published:>7}")


def _print_wrapped(text: str) -> None:
    print(textwrap.fill(text, _WIDTH, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False))


def _counts(findings: list[Finding]) -> Counter[str]:
    return Counter(one.level for one in findings)


def _summary(counts: Counter[str]) -> str:
    if not counts["fails"] and not counts["differs"]:
        return "nothing that the published harness is known to refuse or to do in another way"
    return f"{counts['fails']} would fail there, {counts['differs']} may go another way"
