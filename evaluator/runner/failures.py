"""What went wrong in the submission's code, as a plain value that travels to the judge."""

import traceback
from pathlib import Path
from typing import Any

from evaluator.engine.blame import blame, kind, relative
from evaluator.engine.load import BadSubmission
from evaluator.engine.passes import PatternError
from evaluator.runner.tensors import NotPlain

MAX_FRAMES = 12
MAX_TEXT = 8000  # characters


def failure(problem: BaseException, folder: Path) -> dict[str, Any]:
    """`{"kind": …, "message": …}`: kind is bad_submission, pattern, exit, oom, compile, outputs or exception."""
    try:
        return _failure(problem, folder)
    except Exception:  # the exception is the submission's own, and so are its methods
        return {"kind": "exception", "message": f"{type(problem).__name__}, which can not be shown"[:MAX_TEXT]}


def _failure(problem: BaseException, folder: Path) -> dict[str, Any]:
    if isinstance(problem, BadSubmission | PatternError):
        name = "bad_submission" if isinstance(problem, BadSubmission) else "pattern"
        return {"kind": name, "message": str(problem)[:MAX_TEXT]}
    if isinstance(problem, SystemExit):
        return {"kind": "exit", "message": f"it called exit({problem.code!r})"[:MAX_TEXT]}
    if isinstance(problem, NotPlain):
        return {"kind": "exception", "message": str(problem)[:MAX_TEXT]}
    lines = [str(blame(problem, folder)), *_own_frames(problem, folder)]
    return {"kind": kind(problem), "message": "\n".join(lines)[:MAX_TEXT]}


def _own_frames(problem: BaseException, folder: Path) -> list[str]:
    """The traceback without the lines that are not the author's."""
    lines: list[str] = []
    seen: set[int] = set()
    one: BaseException | None = problem
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        for frame in traceback.extract_tb(one.__traceback__):
            file = relative(frame.filename, folder)
            if file is not None:
                lines.append(f"  {file}:{frame.lineno}, in {frame.name}: {(frame.line or '').strip()}")
        one = one.__cause__
    if len(lines) > MAX_FRAMES:  # a recursion
        lines[MAX_FRAMES // 2 : -MAX_FRAMES // 2] = [f"  … {len(lines) - MAX_FRAMES} more"]
    return lines
