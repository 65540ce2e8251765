"""Capturing the graphs of one module, in this process: Dynamo's for inference, AOT autograd's for training."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dynamo import utils as dynamo_utils
from torch._dynamo.backends.common import aot_autograd
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

from dataset.examples import Example
from dataset.fx_samples import NotASample, sample_of
from graphs.samples import Sample


@dataclass(frozen=True)
class GraphBreak:
    """Why Dynamo ended a graph before the model's end, and how often."""

    count: int
    reason: str
    explanation: str


@dataclass(frozen=True)
class Left:
    """A graph that was seen and can not be written as a sample."""

    kind: str
    why: str


@dataclass
class Capture:
    """What one module gave: samples in the order in which they ran, each with its kind in `graph_net`."""

    samples: list[Sample] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    breaks: list[GraphBreak] = field(default_factory=list)


def capture(example: Example, name: str, *, train: bool = False, facts: dict[str, Any] | None = None) -> Capture:
    """Run the module on its example inputs and keep every graph that ran, once.

    Inference: `eval()`, no gradients. `train` adds `train()` with forward and backward graphs of ATen operators, where
    the sum of all floating outputs is differentiated. Sizes are static. The module's own errors are raised.
    """
    recorder = _Recorder(name, facts or {})
    with torch.no_grad():
        _run(example, example.module.eval(), recorder.inference)
    recorder.found.breaks = _breaks()
    if train:
        with torch.enable_grad():
            _differentiate(_run(example, example.module.train(), recorder.training()))
    torch._dynamo.reset()
    return _numbered(recorder.found, name)


def _run(example: Example, module: torch.nn.Module, backend: Callable[..., Any]) -> Any:
    torch._dynamo.reset()
    dynamo_utils.counters.clear()
    return torch.compile(module, backend=backend, dynamic=False)(*example.args, **example.kwargs)


def _differentiate(outputs: Any) -> None:
    floats = [one for one in tree_leaves(outputs) if isinstance(one, torch.Tensor) and one.requires_grad]
    if not floats:
        raise ValueError("no output of the model depends on a parameter: there is nothing to differentiate")
    total = sum((one.float() if not one.is_complex() else one.abs()).sum() for one in floats)
    assert isinstance(total, torch.Tensor)
    total.backward()


class _Recorder:
    """Backends that keep a graph, with the values of its first call, and run it as it is."""

    def __init__(self, name: str, facts: dict[str, Any]) -> None:
        self._name, self._facts = name, facts
        self.found = Capture()

    def inference(self, module: GraphModule, _examples: Sequence[Any]) -> Callable[..., Any]:
        return self._recording("inference", module)

    def training(self) -> Callable[..., Any]:
        def compiler(kind: str) -> Callable[..., Any]:
            def compile_boxed(module: GraphModule, _examples: Sequence[Any]) -> Callable[..., Any]:
                run = self._recording(kind, module)

                def boxed(values: list[Any]) -> Any:
                    arguments = list(values)
                    values.clear()
                    return run(*arguments)

                boxed._boxed_call = True  # type: ignore[attr-defined]  # AOT autograd's sign for a list of arguments
                return boxed

            return compile_boxed

        result: Callable[..., Any] = aot_autograd(fw_compiler=compiler("forward"), bw_compiler=compiler("backward"))
        return result

    def _recording(self, kind: str, module: GraphModule) -> Callable[..., Any]:
        seen = False

        def run(*values: Any) -> Any:
            nonlocal seen
            if not seen:  # before the graph runs: it may write into its inputs
                seen = True
                self._keep(kind, module, values)
            return module(*values)

        return run

    def _keep(self, kind: str, module: GraphModule, values: Sequence[Any]) -> None:
        try:
            with torch.no_grad():
                sample = sample_of(self._name, module, values, {**self._facts, "graph_kind": kind})
            self.found.samples.append(sample)
        except NotASample as problem:
            self.found.left.append(Left(kind, str(problem)))


def _breaks() -> list[GraphBreak]:
    found = []
    for text, count in dynamo_utils.counters["graph_break"].items():
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        explanation = next((line for line in lines if line.startswith("Explanation:")), "")
        found.append(GraphBreak(count, lines[0] if lines else "", explanation.removeprefix("Explanation:").strip()))
    return found


def _numbered(found: Capture, name: str) -> Capture:
    """Names that tell the graphs of one model apart; the only graph of a model has the model's name."""
    if len(found.samples) > 1:
        counts: dict[str, int] = {}
        named = []
        for sample in found.samples:
            kind = sample.graph_net["graph_kind"]
            counts[kind] = counts.get(kind, 0) + 1
            word = "graph" if kind == "inference" else kind
            named.append(_with_name(sample, f"{name}_{word}{counts[kind]}"))
        found.samples = named
    return found


def _with_name(sample: Sample, name: str) -> Sample:
    return Sample(name, sample.source, sample.inputs, graph_net=sample.graph_net, content_hash=sample.content_hash)
