"""What `torch.compile` calls for each graph of a model."""

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch._guards import CompileContext
from torch.fx import GraphModule

from evaluator.engine import interpreter
from evaluator.engine.backend.floats import apply_with_floats, settle
from evaluator.engine.backend.gradients import launchers_on_the_way_back
from evaluator.engine.backend.inductor import NotAnOperator, compile_rest
from evaluator.engine.backend.report import GraphReport, report, text
from evaluator.engine.backend.transforms import transforms_of
from evaluator.engine.load import load_submission
from evaluator.engine.passes import Admit, Applied, Pass
from graphs.samples import read_pass_dir

Compiled = Callable[..., Any]
Then = str | Callable[..., Any]  # "eager", "inductor", another backend that Dynamo knows by name, or one itself


class NoBackward(UserWarning):
    """A graph runs without the passes because a gradient would have to flow through a launcher."""


def passes(folder: str | PathLike[str], then: Then = "eager") -> "PassBackend":
    """A backend that applies the passes of `folder` and runs what is left of each graph eagerly or with `then`.

    Loads the folder now. Raises BadSubmission (file, line, what is wrong), ValueError for a `then` that Dynamo does not
    know. Kernels are interpreted where there is no CUDA device, or where TRITON_INTERPRET=1 asks for it.
    """
    then = _known(then)
    interpret_without_gpu()
    return PassBackend(str(folder), load_submission(Path(folder)), identity(Path(folder)), then)


def interpret_without_gpu() -> None:
    """Run kernels in Triton's interpreter from now on, if nothing else can run them or TRITON_INTERPRET=1 asks."""
    if not torch.cuda.is_available() or os.environ.get("TRITON_INTERPRET") == "1":
        interpreter.enable()


class PassBackend:
    """Give it to `torch.compile(model, backend=…)`; after the first call, ask it what it did.

    `report` has one entry for each graph that was compiled, `explain()` says the same in words.
    """

    def __init__(
        self, source: str, loaded: Sequence[Pass], identity: str, then: Then, admit: Admit | None = None
    ) -> None:
        """`source` names the passes in warnings, `identity` tells their code apart, `admit` may refuse matches.

        Raises ValueError for a `then` that Dynamo does not know.
        """
        self.source = source
        self.then = _known(then)
        self.passes = tuple(loaded)
        self._identity = identity
        self._admit = admit
        self._named = then if isinstance(then, str) else getattr(then, "__name__", type(then).__name__)
        self._reports: list[GraphReport] = []
        self._attempt: tuple[Any, int] = (None, 0)  # of the last report: which compilation, which attempt at it
        self.__name__ = f"passes_then_{self._named}"  # what Dynamo calls it in its logs

    @property
    def report(self) -> tuple[GraphReport, ...]:
        return tuple(self._reports)

    def explain(self) -> str:
        """What was matched where, what was not and why, for every graph compiled so far."""
        return text(self._reports)

    def __call__(self, module: GraphModule, inputs: Sequence[Any], **settings: Any) -> Compiled:
        """Compile one graph. `settings` are `mode` and `options` of torch.compile; they are Inductor's."""
        applied, constants = apply_with_floats(module, self.passes, self._admit)
        self._forget_earlier_attempt()
        said = report(len(self._reports) + 1, module, applied, self._named)
        refused = _refused(said, applied, module)
        if refused:
            said = replace(said, fallback=str(refused))
            warnings.warn(f"{self.source}: {refused}", type(refused), stacklevel=2)
        self._reports.append(said)
        if refused or not applied.matches:
            return self._untouched(module, inputs, settings)
        settle(constants)
        if self.then != "eager":
            try:
                return compile_rest(module, applied.module, inputs, self._identity, settings, self.then)
            except NotAnOperator as problem:
                named = "Inductor" if self.then == "inductor" else self._named
                note = f"the rest of this graph runs eagerly, not with {named}: {problem}"
                self._reports[-1] = replace(said, then="eager", notes=(*said.notes, note))
        return _eager(applied)

    def _forget_earlier_attempt(self) -> None:
        """Dynamo starts over with a graph when it learns that it must not treat a number as unknown."""
        trace = CompileContext.current_trace_id()
        attempt = (None, 0) if trace is None else (trace.compile_id, trace.attempt)
        if trace is not None and attempt[0] == self._attempt[0] and attempt[1] > self._attempt[1]:
            self._reports.pop()
        self._attempt = attempt

    def _untouched(self, module: GraphModule, inputs: Sequence[Any], settings: dict[str, Any]) -> Compiled:
        if self.then != "eager":
            return compile_rest(module, None, inputs, self._identity, settings, self.then)
        return module.forward


def _eager(applied: Applied) -> Compiled:
    module = applied.module
    if not interpreter.is_enabled():
        return module.forward

    def run(*args: Any) -> Any:
        with interpreter.here():
            return module(*args)

    return run


def _refused(said: GraphReport, applied: Applied, module: GraphModule) -> UserWarning | None:
    """Why a graph in which passes matched runs without them."""
    begin = f"graph {said.number} runs without the passes: "
    lost = launchers_on_the_way_back(applied.module)
    if lost:
        which = " and ".join(sorted({leaf.pass_name for leaf in lost}))
        return NoBackward(
            f"{begin}a gradient would have to flow through the launcher of {which}, which has no backward. "
            "Call the model under torch.no_grad() or torch.inference_mode() to have it replaced."
        )
    transforms = transforms_of(module)
    if applied.matches and transforms:
        which = " and ".join(f"torch.func.{name}" for name in transforms)
        return UserWarning(f"{begin}it uses {which}, within which tensors have no memory that a kernel could read.")
    return None


def _known(then: Then) -> Then:
    if callable(then) or then == "eager" or then in torch._dynamo.list_backends(exclude_tags=()):
        return then
    raise ValueError(f"then={then!r}: it is 'eager', 'inductor' or another name in torch._dynamo.list_backends()")


def identity(folder: Path) -> str:
    """SHA-256 (hex) of the names and contents of a folder's files: another for each change. Raises ReadProblem."""
    digest = sha256()
    for name, code in sorted(read_pass_dir(folder).items()):
        for part in (name, code):
            data = part.encode(errors="surrogateescape")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
