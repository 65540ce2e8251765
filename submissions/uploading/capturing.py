"""The worker's side of an uploaded module: a process of its own captures it (`dataset.pasted`); this reads its answer.

Neither torch nor the module comes into the worker: text goes in, a JSON object of samples comes out, and is believed no
more than any file that somebody sends.
"""

import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify

from graphs.prepared import TaskText
from graphs.problems import ReadProblem
from graphs.samples import Sample, sample_from_json, write_sample
from submissions.uploading.folders import ReadUpload, read_tree

SECONDS = 240.0  # for everything; the module itself has half of it, the rest is for torch to be imported
MODULE = "module.py"
MAX_ANSWER = 64 << 20
_MOST_GRAPHS = 50

_NO_ANSWER = "The process that captures could not do its work. This says nothing about the module: try again later."


@dataclass
class Captured:
    """What became of a text. `problem`: why there are no graphs, and where in the text."""

    read: ReadUpload = field(default_factory=ReadUpload)
    said: list[str] = field(default_factory=list)
    problem: str = ""
    line: int | None = None


def capture(text: str, title: str, seconds: float = SECONDS) -> Captured:
    """Capture the graphs of a module's text. Takes as long as torch needs to be imported, and the module to run."""
    try:
        said = json.loads(_ask(json.dumps({"text": text, "name": _plain(title)}), seconds))
        if not isinstance(said, dict):
            raise TypeError
        if said.get("problem"):
            line = said.get("line")
            return Captured(
                problem=str(said["problem"])[:4000], line=line if isinstance(line, int) and 0 < line < 1 << 20 else None
            )
        samples = [sample_from_json(one) for one in said["samples"][:_MOST_GRAPHS]]
        notes = [str(one)[:600] for one in said["notes"][:100]]
    except subprocess.TimeoutExpired:
        return Captured(problem=f"Not captured within {seconds:g} s, and stopped.")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Captured(problem=_NO_ANSWER)
    if not samples:
        return Captured(
            said=notes, problem=notes[0] if notes else "It ran, and no graph was seen: it calls no operator."
        )
    return _read(samples, title, notes)


def _read(samples: list[Sample], title: str, notes: list[str]) -> Captured:
    """Written as folders and read back: what is stored has gone through the same readers as every import."""
    name = _plain(title)
    with tempfile.TemporaryDirectory(prefix="passnet-upload-") as place:
        try:
            for number, sample in enumerate(samples, 1):
                folder = name if len(samples) == 1 else f"{name}-graph{number:02}"
                write_sample(sample, Path(place) / "captured" / folder)
            read = read_tree(Path(place) / "captured", name)
        except (ReadProblem, ValueError, TypeError, AttributeError) as problem:
            return Captured(said=notes, problem=f"What was captured can not be read as a sample: {problem}"[:2000])
    if not read.folders:
        return Captured(said=notes, problem=(read.failed or [_NO_ANSWER])[0])
    for number, folder_read in enumerate(read.folders, 1):
        more = f" · graph {number}" if len(samples) > 1 else ""
        folder_read.text = TaskText(f"{title}{more}", "Captured from an uploaded module.")
    return Captured(read, [*notes, *read.said, *read.failed])


def _ask(request: str, seconds: float) -> bytes:
    command = [sys.executable, "-P", "-s", "-m", "dataset.pasted"]
    environment = {"PYTHONPATH": str(settings.BASE_DIR), "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}  # and no secret
    if settings.MAY_JUDGE_UNISOLATED:
        environment["PASSNET_ALLOW_UNISOLATED"] = "1"
    with tempfile.TemporaryFile() as answer:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
            start_new_session=True,
        )
        try:
            child.communicate(request.encode(), timeout=seconds)
        finally:
            if child.poll() is None:  # it ends what it has started: told so first
                child.send_signal(signal.SIGTERM)
                try:
                    child.wait(10)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
        answer.seek(0)
        return answer.read(MAX_ANSWER)


def _plain(title: str) -> str:
    return slugify(title)[:60].strip("-_") or "module"
