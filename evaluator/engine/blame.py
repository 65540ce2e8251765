"""Where in a submission an exception comes from, in words for the author.

An error in a kernel arrives wrapped (Triton raises its own type `from` the real one), an error in a helper passes
through our own frames: what the author wants is the deepest line of a file of the submission and the root cause.
"""

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.engine.grids import grid_words
from evaluator.engine.leaf import LauncherFault, LauncherOutputs, Origin

MAX_MESSAGE = 2000  # characters; an exception's text is the submission's own and can have any length


@dataclass(frozen=True)
class Blame:
    """What went wrong: `file` is relative to the submission's folder; both are None where no frame lies in it."""

    message: str
    file: str | None
    line: int | None

    def __str__(self) -> str:
        if self.file is None:
            return self.message
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


def blame(problem: BaseException, folder: Path) -> Blame:
    """The root cause of `problem` and the deepest line inside `folder` on the way to it."""
    chain = _chain(problem)
    file, line = None, None
    for one in chain:  # from the outermost to the root: the last one found is the deepest
        for frame in traceback.extract_tb(one.__traceback__):
            inside = relative(frame.filename, folder)
            if inside is not None:
                file, line = inside, frame.lineno
    root = chain[-1]
    if isinstance(root, SyntaxError) and root.filename:
        inside = relative(root.filename, folder)
        file, line = (inside, root.lineno) if inside is not None else (file, line)
    if isinstance(root, LauncherFault) and root.origin is not None:
        file, line = _shown(root.origin, folder)
    if file is not None and line is not None and (words := grid_words(root, folder / file, line)):
        return Blame(words, file, line)
    return Blame(_without(folder, describe(root)), file, line)


def _shown(origin: Origin, folder: Path) -> tuple[str, int | None]:
    inside = relative(origin.file, folder)
    return (inside or Path(origin.file).name), origin.line


def _without(folder: Path, text: str) -> str:
    """Paths of the submission's files as their names: where it lies tells an author nothing."""
    for base in sorted({f"{folder}/", f"{folder.resolve()}/"}, key=len, reverse=True):
        text = text.replace(base, "")
    return text


def describe(problem: BaseException) -> str:
    """`TypeName: text` on one line, cut to a bearable length. Never raises, whatever the exception's `__str__` does."""
    try:
        text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    except Exception:
        text = "(its text can not be shown)"
    text = " ".join(text.split())
    is_ours = isinstance(problem, LauncherFault)  # its text says all
    words = text if is_ours else f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    return words if len(words) <= MAX_MESSAGE else words[: MAX_MESSAGE - 1] + "…"


def relative(filename: str, folder: Path) -> str | None:
    """`filename` relative to `folder`, or None if it lies elsewhere."""
    for base in (folder, folder.resolve()):
        if Path(filename).is_relative_to(base):
            return Path(filename).relative_to(base).as_posix()
    return None


Kind = Literal["compile", "oom", "exception", "outputs"]


def kind(problem: BaseException) -> Kind:
    """Whether a call failed because a kernel does not compile, memory ran out, outputs are not as many, or otherwise.

    Under the interpreter nothing is compiled. There every error inside a kernel is one that the compiler would have
    found (a name, a type, shapes that do not fit), but for what only happens while it runs.
    """
    chain = _chain(problem)
    if isinstance(chain[-1], LauncherOutputs):
        return "outputs"
    names = {cls.__name__ for one in chain for cls in type(one).__mro__}
    if names & {"MemoryError", "OutOfMemoryError"} or any("can't allocate memory" in str(one) for one in chain):
        return "oom"
    if names & {"CompilationError", "CompileTimeAssertionFailure", "PTXASError", "OutOfResources", "DoesNotCompile"}:
        return "compile"
    if "InterpreterError" in names and not names & _WHILE_RUNNING:
        return "compile"
    return "exception"


_WHILE_RUNNING = {"AssertionError", "OutOfBounds", "ArithmeticError", "RecursionError"}


def _chain(problem: BaseException) -> list[BaseException]:
    """The exception and its causes, outermost first. `raise … from None` ends it."""
    chain = [problem]
    while True:
        last = chain[-1]
        cause = last.__cause__
        if cause is None or cause in chain:
            return chain
        chain.append(cause)
