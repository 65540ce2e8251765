"""The judge's own side of a graph: what eager execution says, computed where no submission can reach it."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

from evaluator.engine.build import UnsupportedTarget, build, on_device
from evaluator.engine.explain import Explanation, explain
from evaluator.engine.inputs import Input, InputProblem, InputSet, graph_inputs, quick_to_draw_on, replay
from evaluator.engine.launches import eager_launches
from evaluator.engine.shapes import node_shapes
from evaluator.engine.values import copied
from evaluator.engine.view import source_name as name
from evaluator.events import NodeInfo, OutputReport
from evaluator.events_of_speed import KernelCount
from evaluator.runner.decided import eager_fail
from graphs.fx_source import parse
from graphs.problems import ReadProblem
from graphs.samples import Sample, TensorMeta

T = TypeVar("T")

_FRAMEWORKS = ("torch", "pytorch")


@dataclass(frozen=True)
class Case:
    """One set of inputs with what the graph returns for it. The values exist in the judge's process only."""

    inputs: list[Input]  # as they were before the graph ran
    random_seed: int  # of random operators, the same for the candidate
    expected: list[Any]
    written: list[int]  # positions of inputs that the graph writes into
    aliases: list[tuple[int, int]]  # (output, input) that share memory


@dataclass(frozen=True)
class Reference:
    """A graph that can run here. Every method raises Decided (eager_fail) when it can not after all."""

    module: GraphModule
    metas: list[TensorMeta]  # in the order of the module's inputs
    scalars: frozenset[str]
    device: str

    def case(self, input_set: InputSet) -> Case:
        """Inputs from seeds that are drawn now, so that nobody can know them before, and what comes out."""
        return self.case_of(self.inputs(input_set))

    def case_of(self, inputs: list[Input]) -> Case:
        """These inputs, and what comes out."""
        random_seed = secrets.randbits(48)
        own = copied(inputs)
        expected = self._run(own, random_seed)
        for value in expected:
            if not isinstance(value, torch.Tensor | int | float | None):
                raise eager_fail(f"It returns a {type(value).__name__}, which can not be compared.")
        written = [at for at, value in enumerate(own) if isinstance(value, torch.Tensor) and value._version]
        outputs, taken = [_storage(value) for value in expected], [_storage(value) for value in own]
        aliases = [(i, j) for i, one in enumerate(outputs) for j, other in enumerate(taken) if one and one == other]
        return Case(inputs, random_seed, expected, written, aliases)

    def returned(self, inputs: Sequence[Any], random_seed: int) -> list[Any]:
        """Outputs for these inputs, which stay as they are: a graph may write into its own."""
        return self._run(copied(inputs), random_seed)

    def _run(self, own: Sequence[Any], random_seed: int) -> list[Any]:
        torch.manual_seed(random_seed)
        return tree_leaves(_running(lambda: self.module(*own)))

    def is_random(self, inputs: Sequence[Any]) -> bool:
        """Whether outputs depend on the random seed."""
        one, other = (self.returned(inputs, seed) for seed in (1, 2))
        return any(
            not torch.equal(a, b) if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) else a != b
            for a, b in zip(one, other, strict=True)
        )

    def launches(self, case: Case) -> list[KernelCount]:
        return list(_running(lambda: eager_launches(self.module, case.inputs)))

    def shapes(self, case: Case) -> dict[str, NodeInfo]:
        """Shape and dtype of every node, by its name in the source."""
        found = _running(lambda: node_shapes(self.module, case.inputs))
        return {name(node): found[node.name] for node in self.module.graph.nodes if node.name in found}

    def explain(self, case: Case, found: Sequence[Any], outputs: Sequence[OutputReport]) -> Explanation:
        """What can be said about outputs that are not correct; empty where all are."""
        return explain(self.module, case.inputs, case.expected, found, outputs)

    def inputs(self, input_set: InputSet) -> list[Input]:
        """Inputs from a seed that is drawn now."""
        seed = secrets.randbits(63)
        try:
            where = quick_to_draw_on(self.metas, self.device)
            return replay(self.metas, seed, input_set.spread, self.device, scalars=self.scalars, drawn_on=where)
        except (InputProblem, RuntimeError) as problem:
            raise eager_fail(f"Its inputs can not be made: {problem}") from problem


def reference(sample: Sample, device: str) -> Reference:
    """The graph of a sample, ready to run on `device`; raises Decided (eager_fail) with the reason why it is not."""
    framework = str(sample.graph_net.get("framework", "torch"))
    if framework.lower() not in _FRAMEWORKS:
        raise eager_fail(f"It is a graph of {framework}: it is shown, and can not be run here.")
    devices = sample.graph_net.get("num_devices_required", 1)
    if isinstance(devices, int) and devices > 1:
        raise eager_fail(f"It needs {devices} devices (num_devices_required); graphs of one device are judged here.")
    try:
        graph = parse(sample.source)
        metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
        return Reference(on_device(build(graph), device), metas, scalars, device)
    except (ReadProblem, UnsupportedTarget, InputProblem) as problem:
        raise eager_fail(f"It can not be built: {problem}") from problem


def _storage(value: Any) -> int | None:
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) and value.numel() else None


def _running(graph: Callable[[], T]) -> T:
    try:
        with torch.no_grad():
            return graph()
    except Exception as problem:
        raise eager_fail(f"Eager execution raises {type(problem).__name__}: {problem}") from problem
