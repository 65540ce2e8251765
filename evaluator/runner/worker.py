"""The runner: the isolated process that loads a submission, rewrites graphs and calls what came out.

It answers requests of the judge over a private channel, one at a time, each with the request's number. Input values
reach it with a call and not before; expected outputs never do. Whatever the submission raises is an answer; whatever
ends this process is seen by the judge and the supervisor.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from time import monotonic, perf_counter
from typing import TextIO

import torch
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

from evaluator.engine import interpreter
from evaluator.engine.build import build, on_device
from evaluator.engine.launches import CandidateCounter
from evaluator.engine.load import BadSubmission, LoadedPass, load_submission
from evaluator.engine.passes import apply_passes
from evaluator.engine.printed import rewritten_source
from evaluator.events import Finding, Step
from evaluator.job import Job
from evaluator.runner import (
    getting_ready,
    guarding,
    measuring,
    protocol,
    rehearsal,
    seeds,
    tensors,
    whereabouts,
    workspace,
)
from evaluator.runner.devices import torch_device
from evaluator.runner.failures import failure
from evaluator.runner.forerunner import Forerunner
from evaluator.runner.outside import ReadsOutside
from evaluator.runner.protocol import Channel, Message
from evaluator.runner.successors import successors
from graphs.fx_source import parse

_MOST_STEPS = 8
_MOST_STEP_NODES = 1500


def main(
    channel: Channel,
    job: Job,
    folder: Path,
    *,
    place: int | None = None,
    run_ends: float = float("inf"),
    waits: bool = False,
) -> None:
    """Serve the judge until it hangs up. `folder` is ours alone. `place`: see whereabouts.py.

    `run_ends`: when, on the clock of time.monotonic, the time of the whole run is over. Where it `waits`, this and the
    job are told by the supervisor, through the same channel, when there is a run; until then `job` names the device.
    """
    streams = _open_streams()
    for seed in seeds.common:
        seeds.unpack(seed)
    ahead = None
    if job.device != "cpu":
        ahead = Forerunner.start(folder)  # CUDA can not be forked
        rehearsal.first_launch(torch_device(job.device))
    if waits:
        getting_ready.runner(torch_device(job.device), channel.is_readable)
        try:
            said, _ = channel.receive()
        except protocol.Closed:
            return
        job, run_ends = Job.from_json(said["job"]), said["run_ends"]
    worker = Worker(job, folder, guarding.sender(channel), ahead)
    me = os.getpid()
    channel.send({"ready": True})
    while True:
        try:
            request, descriptors = channel.receive()
        except protocol.Closed:
            return
        with whereabouts.noted(place, min(worker.seconds(request), run_ends - monotonic())):
            answer = worker.answer(request, descriptors)
        if os.getpid() != me:  # the submission has forked, and this is its child
            os._exit(0)
        for stream in streams:
            with suppress(ValueError, OSError):  # the submission has closed it
                stream.flush()
        channel.send({"answer_to": request["number"], **answer})


def _open_streams() -> tuple[TextIO, TextIO]:
    """Fresh text streams on our descriptors; any text can be written to them."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = open(descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
    return sys.stdout, sys.stderr


class Worker:
    def __init__(
        self, job: Job, folder: Path, tell: Callable[[Finding], None], ahead: Forerunner | None = None
    ) -> None:
        self.job = job
        self.ahead = ahead  # compiles for us, where there is something to compile for
        self.pass_dir = folder / workspace.PASS_DIR
        self.guards = guarding.Guards(job, self.pass_dir, tell)
        self.folder = folder
        self.passes: Sequence[LoadedPass] = ()
        self.modules: dict[int, GraphModule] = {}

    def seconds(self, request: Message) -> float:
        """How long a request may take."""
        limits = self.job.limits
        special = {"load": limits.import_seconds, "measure": limits.measure_seconds}
        return special.get(request["do"], limits.call_seconds)

    def answer(self, request: Message, descriptors: Sequence[int]) -> Message:
        try:
            with torch.no_grad():
                match request["do"]:
                    case "load":
                        return {"ok": self._load()}
                    case "apply":
                        return {"ok": self._apply(request["graph"])}
                    case "foresee":
                        return {"ok": self._foresee(request)}
                    case "call":
                        return {"ok": self._call(request, *descriptors)}
                    case "measure":
                        return {"ok": self._measure(request, descriptors)}
            raise AssertionError(request["do"])
        except BaseException as problem:
            return {"failed": failure(problem, self.pass_dir)}
        finally:
            protocol.close_all(descriptors)

    def _load(self) -> Message:
        try:
            workspace.write_files(self.job.files, self.folder)
        except (workspace.UnsafeName, OSError) as error:
            raise BadSubmission(f"the submission's files can not be written: {error}") from error
        self.guards.arm()
        if self.ahead is not None:
            self.ahead.begin(self.job)
        try:
            self.passes = load_submission(self.pass_dir)
        finally:
            self.guards.loaded()
        return {"passes": [one.name for one in self.passes]}

    def _apply(self, index: int) -> Message:
        """Rewrite one graph with every pass. The module (it has no weights) stays here for the calls that follow."""
        original = build(parse(self.job.graphs[index].source))
        applied = apply_passes(original, self.passes)
        self.modules[index] = on_device(applied.module, torch_device(self.job.device))
        return {
            "matches": applied.matches,
            "per_pass": applied.per_pass,
            "nodes": applied.matched_nodes,
            "lines": applied.lines,
            "near_misses": applied.near_misses,
            "notes": applied.notes,
            "new_nodes": applied.new_nodes,
            "code": rewritten_source(applied.module),
            "successors": successors(original, applied.module),
            "steps": self._steps(original, applied.per_pass),
        }

    def _steps(self, original: GraphModule, per_pass: Mapping[str, int]) -> list[Step]:
        """The graph after each pass that changed it, but for the last. Only shown, so never a reason to fail."""
        changing = [number for number, one in enumerate(self.passes) if per_pass.get(one.name)]
        if len(original.graph.nodes) > _MOST_STEP_NODES:
            return []
        steps: list[Step] = []
        for number in changing[:-1][:_MOST_STEPS]:
            try:
                step = apply_passes(original, self.passes[: number + 1])
                code = rewritten_source(step.module)
            except Exception:
                break
            steps.append({"pass_name": self.passes[number].name, "code": code, "new_nodes": step.new_nodes})
        return steps

    def _foresee(self, request: Message) -> Message:
        """A graph is going to be called on inputs that are not its own."""
        if self.ahead is not None:
            self.ahead.foresee(request["graph"], request["inputs"])
        return {}

    def _call(self, request: Message, inputs_file: int, outputs_file: int) -> Message:
        """One call on fresh inputs; the outputs go into the memory that the judge made for them."""
        module = self.modules[request["graph"]]
        inputs = self.guards.placed(tensors.take(inputs_file, request["inputs"]))
        torch.manual_seed(request["random_seed"])
        counter = CandidateCounter() if request["count"] else None
        outside = ReadsOutside(self.pass_dir)
        call = guarding.Call.asked_for(request)
        watching = self.guards.around(module, inputs, call, closely=request["closely"])
        with watching if request["watched"] else nullcontext():
            started = perf_counter()
            with interpreter.here(), outside.listening(), counter or nullcontext():
                outputs = module(*inputs)
            _synchronise(self.job.device)
            seconds = perf_counter() - started
            call.outputs = tree_leaves(outputs)
        leaves = tensors.plain(call.outputs)
        return {
            "outputs": tensors.put(outputs_file, leaves),
            "reads_outside": outside.words,
            "launches": None if counter is None else list(counter.counts),
            "seconds": seconds,
        }

    def _measure(self, request: Message, files: Sequence[int]) -> Message:
        """Time the rewritten graph beside eager and the baselines."""
        index = request["graph"]
        with self.ahead.at_rest() if self.ahead is not None else nullcontext():
            return measuring.measure(
                request, self.job.graphs[index], self.modules[index], torch_device(self.job.device), files
            )


def _synchronise(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()
