"""The chosen figures as a file, one row for each graph and way, each with all that makes it what it is."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from submissions.csv_text import csv_text
from submissions.slower.cases import Case, Context

COLUMNS = (
    "graph", "identity", "model", "kind", "family", "domain", "operators", "dtypes", "nodes", "device", "hardware",
    "torch", "harness", "compiler", "threads", "origin", "method", "entry", "eager_us", "compiler_us", "ratio",
    "ratio_low", "ratio_high", "word", "eager_kernels", "compiler_kernels", "reason", "why", "measured_at",
)  # fmt: skip


def records(context: Context, cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """Times in µs; ratio is eager / compiler, above 1 where the compiler is faster."""
    for case in cases:
        facts = case.facts
        for way, figure in case.figures.items():
            method, _, entry = way.partition("-")
            yield {
                "graph": facts.name,
                "identity": facts.identity,
                "model": facts.model,
                "kind": facts.kind,
                "family": facts.family,
                "domain": facts.domain,
                "operators": " ".join(label for label, _ in facts.operators),
                "dtypes": " ".join(facts.dtypes),
                "nodes": facts.node_count,
                "device": context.device,
                "hardware": context.hardware,
                "torch": context.torch,
                "harness": context.harness,
                "compiler": context.backend,
                "threads": context.threads or None,
                "origin": context.origin,
                "method": method,
                "entry": entry,
                "eager_us": figure.eager_us,
                "compiler_us": figure.median_us,
                "ratio": figure.ratio,
                "ratio_low": figure.low,
                "ratio_high": figure.high,
                "word": figure.word,
                "eager_kernels": case.eager_kernels,
                "compiler_kernels": case.kernels,
                "reason": case.verdict.reason,
                "why": case.verdict.why,
                "measured_at": case.measured_at.isoformat(),
            }


def as_csv(context: Context, cases: Sequence[Case]) -> str:
    """One line for each record, in the order of COLUMNS."""
    return csv_text(COLUMNS, ((record[name] for name in COLUMNS) for record in records(context, cases)))


def as_json(context: Context, cases: Sequence[Case]) -> str:
    """A list of objects with the same keys."""
    return json.dumps(list(records(context, cases)), indent=1)
