"""Reads what `python -m evaluator baseline --json` printed on another machine. Every line is the file's own word."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from graphs.models import Graph
from submissions.actions.baselines import do_store_baseline
from submissions.baselines import Line, read_line

MOST_BYTES = 64 << 20


class BaselineFileError(Exception):
    """The file can not be read at all; the text says why and what is expected."""


@dataclass
class Imported:
    """How many figures were stored; `skipped` says of each other line "number: why"."""

    stored: int = 0
    skipped: list[str] = field(default_factory=list)


def import_file(path: Path, origin: str) -> Imported:
    """Stores every measured line whose graph is known here. A bad line is left out with its reason, never the rest.

    Raises BaselineFileError.
    """
    done = Imported()
    lines = _text(path).splitlines()
    with transaction.atomic():
        for number, text in enumerate(lines, 1):
            if not text.strip():
                continue
            try:
                line = _measured(text)
                do_store_baseline(_graph(line), line, origin)
                done.stored += 1
            except ValueError as problem:
                done.skipped.append(f"{number}: {problem}")
    if not done.stored and not done.skipped:
        raise BaselineFileError(f"{path} is empty. It is made with: python -m evaluator baseline TASK --json > FILE")
    return done


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BaselineFileError(f"{path} is larger than {MOST_BYTES >> 20} MB, which no list of figures is.")
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BaselineFileError(f"{path} can not be read: {error.strerror}.") from error


def _measured(text: str) -> Line:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON object, as `python -m evaluator baseline --json` prints") from None
    if not isinstance(value, dict):
        raise ValueError("is no JSON object, as `python -m evaluator baseline --json` prints")
    if "error" in value:
        raise ValueError(f"was not measured there: {str(value['error'])[:300]}")
    return read_line(value)


def _graph(line: Line) -> Graph:
    if line.identity is None:
        raise ValueError("does not say which graph it is (`identity`): measure again with a newer version")
    graph = Graph.objects.filter(identity=line.identity).first()
    if graph is None:
        raise ValueError(f"the graph {line.graph[:100]} is not in this workbench, or its code or inputs differ")
    return graph
