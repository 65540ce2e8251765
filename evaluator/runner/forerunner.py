"""Compiles what the runner is going to launch, while the runner is busy with something else.

It is forked from the runner before that starts CUDA, as shut in as it is, and has no channel to the judge. When the
submission is loaded it loads it too, rewrites graph after graph, and calls what came out on tensors without
memory; launches compile, and do nothing else (`compile_only.py`). What it compiles lies in the cache folder of the run.
Nothing that happens to it is a result: a runner that does not find a kernel compiles it itself. It stands still while
anything is timed.
"""

import contextlib
import os
import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from evaluator.engine.build import build, on_device
from evaluator.engine.inputs import graph_inputs
from evaluator.engine.load import LoadedPass, load_submission
from evaluator.engine.passes import apply_passes
from evaluator.integrity import import_guard
from evaluator.job import Job
from evaluator.runner import calibration, compile_only, linux, processes, protocol, rlimits, workspace
from evaluator.runner.processes import Process
from evaluator.runner.protocol import Channel
from graphs.fx_source import parse
from graphs.samples import Sample, TensorMeta

_MOST_AT_ONCE = 6

#: A tensor's shape and dtype, or a number.
Value = Sequence[Any] | int | float | bool | None


@dataclass(frozen=True)
class Forerunner:
    """The runner's end of it."""

    process: Process
    channel: Channel

    @staticmethod
    def start(folder: Path) -> "Forerunner":
        """Fork it; the submission will lie in `folder`."""
        ours, theirs = protocol.pair()
        ours.limit_sends(1.0)
        null = os.open(os.devnull, os.O_WRONLY)  # what the submission prints, the runner's own process prints
        process = processes.start(partial(_main, theirs, folder), keep=[theirs.fileno()], stdio=(None, null, null))
        os.close(null)
        theirs.close()
        return Forerunner(process, ours)

    def begin(self, job: Job) -> None:
        """The submission lies in the folder: load it, and go through its graphs."""
        self._say({"job": job.to_json()})

    def foresee(self, graph: int, inputs: Sequence[Value]) -> None:
        """A graph is going to be called on inputs of another size."""
        self._say({"graph": graph, "inputs": list(inputs)})

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """It stands still within the block, with all that it has started."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _say(self, message: protocol.Message) -> None:
        with contextlib.suppress(protocol.Closed, protocol.ProtocolError):
            self.channel.send(message)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self.process.poll() is None:
                os.killpg(self.process.pid, number)


def described(metas: Sequence[TensorMeta], scalars: Collection[str]) -> list[Value]:
    """Inputs as `foresee` takes them; those named in `scalars` are numbers."""
    return [
        meta.data[0] if meta.name in scalars and meta.data else [list(meta.shape), meta.dtype]  # type: ignore[list-item]
        for meta in metas
    ]


def _main(channel: Channel, folder: Path) -> None:
    linux.set_name(rlimits.AHEAD)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a submission that asks for the device gets none here
    try:
        job = Job.from_json(channel.receive()[0]["job"])
        compile_only.enable(calibration.capability())
        pass_dir = folder / workspace.PASS_DIR
        # What is refused is refused here, too. It is told by the runner alone: honest code may well take another way
        # for tensors without memory, one that it never takes in the run.
        import_guard.install(pass_dir, lambda _: None)
        passes = load_submission(pass_dir)
        working: list[int] = []
        for sample in job.graphs:
            _fork(working, partial(_compile, sample, passes, None))
        while True:
            said, _ = channel.receive()
            _fork(working, partial(_compile, job.graphs[said["graph"]], passes, said["inputs"]))
    except protocol.Closed:
        return


def _fork(working: list[int], work: Any) -> None:
    """Have a process of our own group do it, when there are not too many of them."""
    while len(working) >= _MOST_AT_ONCE:
        pid, _ = os.wait()
        working.remove(pid)
    if pid := os.fork():
        working.append(pid)
        return
    with contextlib.suppress(BaseException):
        work()
    os._exit(0)


def _compile(sample: Sample, passes: Sequence[LoadedPass], inputs: Sequence[Value] | None) -> None:
    """Call a rewritten graph once, on its own inputs or on those described."""
    graph = parse(sample.source)
    if inputs is None:
        metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
        inputs = described(metas, scalars)
    module = on_device(apply_passes(build(graph), passes).module, "meta")
    with torch.no_grad():
        module(*map(_without_memory, inputs))
    compile_only.finish()


def _without_memory(value: Value) -> Any:
    if not isinstance(value, list | tuple):
        return value
    shape, dtype = value
    return torch.empty(shape, dtype=getattr(torch, dtype), device="meta")
