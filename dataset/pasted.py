"""`python -m dataset.pasted`: captures the graphs of a module that came as text, shut in like a submission.

Standard input is a JSON object with `text` and `name`, standard output one with `samples` (as `sample_to_json` writes
them) and `notes` (graph breaks, graphs that no sample can hold), or with `problem` and, where it is known, `line`.

The text is Python with a function `make()` that returns `(module, inputs)`, or a module with `example_inputs`; or with
one class of a `torch.nn.Module`, made without arguments, that has `example_inputs`. It runs in a process without
network, with a folder of its own and limits of time and memory. What comes out of that process is not trusted: it is
passed on as it is, for whoever reads it to check.
"""

import json
import os
import re
import select
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.job import Job, Limits
from evaluator.runner import environment, isolation, linux, processes, watchdog

FILE = "module.py"
LIMITS = Limits(run_seconds=120.0, memory_bytes=2 << 30, disk_bytes=64 << 20)
_MOST = 64 << 20  # bytes of an answer
_TICK = 0.2

CONTRACT = (
    "It needs a function make() that returns (module, inputs), or one class of a torch.nn.Module that is made without "
    "arguments and has example_inputs."
)

Said = dict[str, Any]


def main() -> int:
    """Read the request, capture, answer; exit status 0 whatever became of it. It ends with whoever started it."""
    linux.die_with_parent(os.getppid())
    os.environ.update(environment.scrubbed(dict(os.environ)))
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a GPU that happens to be there is somebody else's
    request = json.load(sys.stdin)
    print(json.dumps(capture_text(str(request["text"]), str(request["name"]))))
    return 0


def capture_text(text: str, name: str, limits: Limits = LIMITS) -> Said:
    """The answer for one text. Imports torch; call it in a process without threads."""
    refusal = isolation.refusal()
    if refusal is not None:
        return {"problem": refusal.replace("Nothing is judged: submissions", "Nothing is captured: modules")}
    import torch

    from dataset import graph_recorder, models  # noqa: F401  # the process that is shut in does not see our files

    torch.set_num_threads(1)
    linux.adopt_orphans()
    return _apart(partial(_capture, text, name), limits)


def _apart(work: Callable[[Path], Said], limits: Limits) -> Said:
    """What `work` answers in a process that is shut in, or why it gave no answer."""
    before = frozenset(processes.descendants(os.getpid()))
    inherited = watchdog.own_memory(os.getpid())
    reader, writer = os.pipe2(os.O_CLOEXEC)
    null = os.open(os.devnull, os.O_WRONLY)
    job = Job(files={}, graphs=(), limits=limits)
    with tempfile.TemporaryDirectory(prefix="passnet-run-") as folder:
        process = isolation.start(
            partial(_answer, work, writer), job, Path(folder), keep=[writer], stdio=(None, null, null)
        )
        os.close(writer)
        os.close(null)
        try:
            answer = _read(reader, limits, partial(_held, before, inherited))
        finally:
            process.kill()
            ending = process.wait()
            processes.kill_descendants(before)
            os.close(reader)
    if isinstance(answer, str):
        return {"problem": answer}
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return {"problem": f"The process that ran the module ended before it was done, with {ending}."}
    return said if isinstance(said, dict) else {"problem": "The module changed what captures it."}


def _held(before: frozenset[int], inherited: int) -> int:
    return watchdog.memory_beyond(processes.descendants(os.getpid(), before), inherited)


def _read(reader: int, limits: Limits, held: Callable[[], int]) -> bytes | str:
    """All that comes until the other end is closed; a text says which limit ended it."""
    end = time.monotonic() + limits.run_seconds
    look_at = 0.0  # by the clock: who writes without a pause is looked at all the same
    data = bytearray()
    while len(data) < _MOST:
        ready, _, _ = select.select([reader], [], [], _TICK)
        if ready:
            read = os.read(reader, 1 << 16)
            if not read:
                return bytes(data)
            data += read
        if time.monotonic() >= look_at:
            if held() > limits.memory_bytes:
                most = f"{limits.memory_bytes >> 20} MiB"
                return f"Stopped: it needed more than the {most} that an uploaded module may use."
            look_at = time.monotonic() + _TICK
        if time.monotonic() > end:
            return f"Stopped after {limits.run_seconds:g} s. Is there a loop without an end?"
    return f"Its graphs have more than {_MOST >> 20} MB. Capture it with `python -m dataset capture` and import it."


def _answer(work: Callable[[Path], Said], pipe: int, folder: Path) -> None:
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  # what the module prints is nobody's
    said = json.dumps(work(folder)).encode()
    while said:
        said = said[os.write(pipe, said) :]


def _capture(text: str, name: str, folder: Path) -> Said:
    """In the process that is shut in: run the text, then the module, and keep every graph."""
    from dataset import graph_recorder, models
    from dataset.examples import ModelProblem
    from graphs.samples import sample_to_json

    path = folder / FILE
    path.write_text(text, "utf-8", errors="replace")
    facts = {
        "framework": "torch", "num_devices_required": 1, "num_nodes_required": 1, "dynamic": False, "model_name": name,
        "source": "uploaded module", "heuristic_tag": "other",
    }  # fmt: skip
    try:
        example = models.example_of(_made(models.module_from_file(path)), "it")
        found = graph_recorder.capture(example, name, facts=facts)
    except ModelProblem as problem:
        return {"problem": f"{problem}. {CONTRACT}", "line": None}
    except BaseException as error:  # whatever the text raises, SystemExit as well
        return {"problem": _message(error), "line": _line(error, str(path))}
    notes = [f"graph break, {one.count} times: {one.reason} {one.explanation}".strip() for one in found.breaks]
    notes += [f"left out, a graph of {one.kind}: {one.why}" for one in found.left]
    return {"samples": [sample_to_json(sample) for sample in found.samples], "notes": notes}


def _made(module: Any) -> Any:
    """What `make()` returns, or the one class with example inputs, made."""
    import torch

    from dataset.examples import ModelProblem

    make = getattr(module, "make", None)
    if callable(make):
        return make()
    classes = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, torch.nn.Module) and one.__module__ == module.__name__
    ]
    fit = [one for one in classes if hasattr(one, "example_inputs")] or classes[-1:]
    if len(fit) != 1:
        raise ModelProblem(
            "The text has no make() and " + ("several classes with example_inputs" if fit else "no module")
        )
    return fit[0]()


def _message(error: BaseException) -> str:
    text = "\n".join(str(error).split("\n\n")[0].splitlines()[:6])
    if isinstance(error, SyntaxError):
        text = error.msg
    return f"{type(error).__name__}: {text[:1500]}" if text else type(error).__name__


def _line(error: BaseException, path: str) -> int | None:
    """The line of the text that the error comes from: its innermost frame there."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if frames:
        return frames[-1]
    named = re.findall(rf'File "{re.escape(path)}", line (\d+)', str(error))  # Dynamo tells it in words
    return int(named[-1]) if named else None


if __name__ == "__main__":
    sys.exit(main())
