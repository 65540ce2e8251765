"""Exported trajectories as pairs of a prompt and what should follow it. Plain Python: no model's chat template."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARK = "=== "  # before a file's name, at the beginning of a line
END = "\x00"  # after the last file: no file may hold it


@dataclass(frozen=True)
class Example:
    """`completion` is a whole submission as text."""

    task: str
    prompt: str
    completion: str


def read_examples(path: Path, least_correct: float = 1.0) -> list[Example]:
    """Of a file of JSON Lines: the clean attempts whose best files have at least this share of the graphs correct.

    Raises OSError, and ValueError for a line that is no trajectory.
    """
    with path.open(encoding="utf-8") as lines:
        return list(examples(map(json.loads, lines), least_correct))


def examples(trajectories: Iterable[Mapping[str, Any]], least_correct: float = 1.0) -> Iterator[Example]:
    """The same of objects that were read already. Raises ValueError."""
    for one in trajectories:
        try:
            correct, total = one["correct"] or (0, 1)
            clean = one["integrity"]["verdict"] == "clean"
            submission, task = dict(one["submission"]), str(one["task_id"])
        except (KeyError, TypeError) as problem:
            raise ValueError(f"a line is no trajectory: {problem}") from problem
        if clean and submission and total and correct / total >= least_correct:
            yield Example(task, prompt_for(task), text_of(submission))


def prompt_for(task: str) -> str:
    """What the model is given for a task."""
    return f"task {task}\n"


def text_of(files: Mapping[str, str]) -> str:
    """Files as one text that ends with END."""
    return "".join(f"{MARK}{name}\n{_ended(text)}" for name, text in files.items()) + END


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def files_of(text: str) -> dict[str, str]:
    """The files of such a text, as far as it goes. What stands before the first name is left out."""
    files: dict[str, str] = {}
    name = ""
    for line in text.partition(END)[0].splitlines(keepends=True):
        if line.startswith(MARK):
            name = line[len(MARK) :].strip()
            files[name] = ""
        elif name:
            files[name] += line
    return {name: text for name, text in files.items() if name}
