"""A run folder: `<run>/…/<task id>/pass_dir/…`, any nesting. No link in it is followed; nothing of it is executed."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graphs.plain_text import plain_line
from graphs.problems import ReadProblem
from graphs.refused import Refused
from graphs.safe_files import read_bytes
from graphs.task_folders import read_pass_dir
from submissions.files import check_files, check_texts
from submissions.hashing import files_hash
from submissions.importing.eval_log import MAX_LOG_BYTES, looks_like_log
from submissions.safe_json import safe_text

PASS_DIR, SCORE = "pass_dir", "score.txt"
_MOST_DEPTH = 32
_MOST_FOLDERS = 200_000  # that are looked into; a run has tens of thousands at most
_MAX_SCORE_BYTES = 4096

Say = Callable[[str], None]


@dataclass(frozen=True)
class Place:
    """A `pass_dir` or a log that was found. `task_name` is the folder that holds it."""

    path: Path
    relative: str
    task_name: str
    is_log: bool = False


@dataclass(frozen=True)
class Handed:
    """One submission as it was read. `problem` says why it can not be evaluated; its files are kept all the same."""

    task_name: str
    relative: str
    files: dict[str, str]
    hash: str
    reported: float | None
    problem: str = ""
    said: tuple[str, ...] = field(default=())


def find_places(root: Path, say: Say) -> Iterator[Place]:
    """Every `pass_dir` at or below `root`, and logs, by path. Says what can not be looked into."""
    waiting = [(root, "", 0)]
    looked = 0
    while waiting:
        folder, relative, depth = waiting.pop()
        looked += 1
        if looked > _MOST_FOLDERS:
            say(f"{root}: holds more than {_MOST_FOLDERS:,} folders; the rest is left out")
            return
        if folder.name == PASS_DIR or (folder == root and root.resolve().name == PASS_DIR):
            yield Place(folder, relative or PASS_DIR, _task_name(folder))
            continue
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError as error:
            say(f"{folder}: can not be looked into: {error.strerror or error}")
            continue
        below = []
        for entry in entries:
            path, name = folder / entry.name, f"{relative}/{entry.name}" if relative else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in ("__pycache__", "graphs"):
                    below.append((path, name, depth + 1))
            elif entry.name.endswith(".log") and entry.is_file(follow_symlinks=False):
                yield Place(path, name, _task_name(path), is_log=True)
        if below and depth >= _MOST_DEPTH:
            say(f"{folder}: lies more than {_MOST_DEPTH} folders deep; what is below is left out")
            continue
        waiting += reversed(below)


def read_submission(place: Place) -> Handed:
    """Raises ReadProblem where the files can not be read at all: too many, too large, not allowed."""
    files = read_pass_dir(place.path)
    said: list[str] = []
    reported = _score(files.pop(SCORE, None), place.path / SCORE, said)
    if reported is None and not said:
        beside = read_bytes(place.path.parent, SCORE, _MAX_SCORE_BYTES)
        reported = _score(
            None if beside is None else beside.decode("utf-8", "replace"), place.path.parent / SCORE, said
        )
    return Handed(
        task_name=place.task_name,
        relative=safe_text(place.relative)[:1000],
        files=files,
        hash=files_hash(files),
        reported=reported,
        problem=_problem(files),
        said=tuple(said),
    )


def read_log(place: Place) -> bytes | None:
    """The bytes of a log of the published harness; None for another kind of log. Raises ReadProblem."""
    content = read_bytes(place.path.parent, place.path.name, MAX_LOG_BYTES)
    return content if content is not None and looks_like_log(content) else None


def _problem(files: dict[str, str]) -> str:
    try:
        check_files(files)
        check_texts(files)
    except Refused as refused:
        return safe_text(refused.message)[:500]
    return ""


def _score(text: str | None, path: Path, said: list[str]) -> float | None:
    if text is None:
        return None
    try:
        value = float(text.strip()[:40])
    except ValueError:
        value = -1.0
    if 0 < value < 1e6:
        return value
    said.append(str(ReadProblem(str(path), 1, "is no score: a positive number is wanted; it was left out")))
    return None


def _task_name(path: Path) -> str:
    """Of the folder that holds it, as text that every database and page takes."""
    return safe_text(plain_line(path.resolve().parent.name))[:200] or "unnamed"
