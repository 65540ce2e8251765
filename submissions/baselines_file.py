"""Reads what `python -m evaluator baseline --json` printed on another machine. Every line is the file's own word."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from graphs.models import Graph
from submissions.actions.baselines import do_store_baselines
from submissions.baselines import Line, read_line

MOST_BYTES = 64 << 20
_TOGETHER = 300  # lines in one transaction


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
    lines: dict[int, Line] = {}
    for number, text in enumerate(_text(path).splitlines(), 1):
        if not text.strip():
            continue
        try:
            lines[number] = _measured(text)
        except ValueError as problem:
            done.skipped.append(f"{number}: {problem}")
    numbers = list(lines)
    for start in range(0, len(numbers), _TOGETHER):
        part = {number: lines[number] for number in numbers[start : start + _TOGETHER]}
        with transaction.atomic():
            _store(part, origin, done)
    done.skipped.sort(key=lambda said: int(said.partition(":")[0]))
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


def _store(lines: dict[int, Line], origin: str, done: Imported) -> None:
    graphs = Graph.objects.only("identity").in_bulk(
        {line.identity for line in lines.values() if line.identity}, field_name="identity"
    )
    known = {}
    for number, line in lines.items():
        if line.identity is None:
            why = "does not say which graph it is (`identity`): measure again with a newer version"
            done.skipped.append(f"{number}: {why}")
        elif line.identity not in graphs:
            why = f"the graph {line.graph[:100]} is not in this workbench, or its code or inputs differ"
            done.skipped.append(f"{number}: {why}")
        else:
            known[number] = line
    do_store_baselines([(graphs[str(line.identity)], line) for line in known.values()], origin)
    done.stored += len(known)
