"""Shape and dtype of what every node of a graph produces, without computing it where that is possible."""

import math
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch._ops import OpOverload, OpOverloadPacket
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule, Interpreter, Node
from torch.utils._pytree import tree_leaves

from evaluator.engine.inputs import dtype_of, replay
from evaluator.engine.values import copied, map_tensors, same_randomness
from evaluator.events import NodeInfo
from graphs.samples import TensorMeta

MAX_REAL_ELEMENTS = 1 << 26  # inputs that are really made for a graph whose shapes depend on values

_TORCH_MODULES = frozenset({"torch", "_operator", "operator", "builtins", "math", "None"})

_QUICK_ELEMENTS = (
    1 << 20
)  # of inputs: running the graph is quicker than pretending to, which begins with an import of 1 s

UNKNOWN = NodeInfo(shape=None, dtype=None)


def node_shapes(module: GraphModule, inputs: Sequence[Any]) -> dict[str, NodeInfo]:
    """By node name; a node that produces no tensor (a tuple, a number) has neither shape nor dtype.

    Runs on fake tensors, and really (on copies of `inputs`) where inputs are small, a shape depends on values or a
    launcher needs memory. Raises what the graph raises.
    """
    if _is_all_torch(module) and _elements(inputs) > _QUICK_ELEMENTS:
        fakes, recorder = FakeTensorMode(allow_non_fake_inputs=True), _Recorder(module)
        try:
            with torch.no_grad(), fakes:
                recorder.run(*(map_tensors(fakes.from_tensor, value) for value in inputs))
            return recorder.found
        except Exception:
            pass  # a shape depends on values: run it really, which raises what there is to raise
    recorder = _Recorder(module)
    with same_randomness(inputs), torch.no_grad():
        recorder.run(*copied(inputs))
    return recorder.found


def described_shapes(
    module: GraphModule, metas: Sequence[TensorMeta], scalars: Collection[str] = ()
) -> dict[str, NodeInfo]:
    """The same from metadata alone, for a page that shows a graph: no value of any input is computed.

    Where that is not enough and the inputs are small they are made. What follows a node that fails stays unknown.
    """
    recorder = _Recorder(module)
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
            numbers = replay([meta for meta in metas if meta.name in scalars], 0, scalars=scalars)
            recorder.run(*_empty_inputs(metas, scalars, iter(numbers)))
    except Exception:
        if sum(math.prod(meta.shape) for meta in metas) <= MAX_REAL_ELEMENTS:
            recorder = _Recorder(module, recorder.found)
            _run_quietly(recorder, metas, scalars)
    return {node.name: recorder.found.get(node.name, UNKNOWN) for node in module.graph.nodes}


def _empty_inputs(metas: Sequence[TensorMeta], scalars: Collection[str], numbers: Any) -> list[Any]:
    return [
        next(numbers) if meta.name in scalars else torch.empty(meta.shape, dtype=dtype_of(meta.dtype)) for meta in metas
    ]


def _run_quietly(recorder: "_Recorder", metas: Sequence[TensorMeta], scalars: Collection[str]) -> None:
    try:
        inputs = replay(metas, 0, scalars=scalars)
        with same_randomness(inputs), torch.no_grad():
            recorder.run(*inputs)
    except Exception:
        return  # what was found before the failing node is the answer


def _elements(values: Sequence[Any]) -> int:
    return sum(leaf.numel() for leaf in tree_leaves(list(values)) if isinstance(leaf, torch.Tensor))


def _is_all_torch(module: GraphModule) -> bool:
    """No launchers: the address of a fake tensor is 0, and an interpreted kernel would read there."""
    return all(
        node.op != "call_function"
        or isinstance(node.target, OpOverload | OpOverloadPacket)
        or str(getattr(node.target, "__module__", "torch")).split(".")[0] in _TORCH_MODULES
        for node in module.graph.nodes
    )


class _Recorder(Interpreter):
    def __init__(self, module: GraphModule, known: dict[str, NodeInfo] | None = None) -> None:
        super().__init__(module)
        self.extra_traceback = False  # failures are expected and handled
        self.found: dict[str, NodeInfo] = dict(known or {})

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        self.found[n.name] = _info(value)
        return value


def _info(value: Any) -> NodeInfo:
    if not isinstance(value, torch.Tensor):
        return NodeInfo(shape=None, dtype=None)
    return NodeInfo(shape=[int(size) for size in value.shape], dtype=str(value.dtype).removeprefix("torch."))
