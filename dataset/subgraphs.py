"""Cutting a range of operators out of a graph that runs, with what flowed through it in a run of the whole graph."""

import operator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Interpreter, Node

from dataset.collectives import has_collectives
from dataset.fx_samples import NotASample, check_reads, source_of
from dataset.tensor_metas import meta_of
from graphs.samples import TensorMeta

_CONSTANTS = (bool, int, float, str, type(None), torch.dtype, torch.device, torch.Size)
STATEFUL = frozenset({  # what they switch is not in the range: autocast, gradients, the level of a vmap
    "_enter_autocast", "_exit_autocast", "_set_grad_enabled", "_vmap_increment_nesting", "_vmap_decrement_nesting",
    "_add_batch_dim", "_remove_batch_dim",
})  # fmt: skip


@dataclass(frozen=True)
class Cut:
    """A subgraph as a sample holds it: the text of its model.py and its inputs, which need no other hash.

    `talks` to other devices: it needs as many as the whole graph.
    """

    source: str
    inputs: tuple[TensorMeta, ...]
    talks: bool = False


@dataclass(frozen=True)
class Extract:
    """A range of operators as a graph of its own. `outside` are the values that its inputs stand for, in order."""

    graph: Graph
    outside: tuple[Node, ...]


class Values(Interpreter):
    """One run of a graph that keeps of every value what a subgraph needs to know: metadata, or the number itself."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module, garbage_collect_values=True)
        self.metas: dict[Node, TensorMeta] = {}
        self.strides: dict[Node, tuple[int, ...]] = {}
        self.constants: dict[Node, Any] = {}
        self.parts: dict[Node, tuple[int, ...]] = {}  # where tensors stand in a value that is a tuple or a list

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        if isinstance(value, torch.Tensor):
            if torch._C._functorch.is_functorch_wrapped_tensor(value):
                return value  # inside of a vmap: no sample can begin there
            with suppress(TypeError):  # of a layout that samples have not: whoever cuts here is told
                self.metas[n] = meta_of(n.name, value)
                self.strides[n] = value.stride()
        elif isinstance(value, _CONSTANTS):
            self.constants[n] = value
        elif isinstance(value, (tuple, list)):
            self.parts[n] = tuple(index for index, part in enumerate(value) if isinstance(part, torch.Tensor))
        return value


def operators(module: GraphModule) -> list[Node]:
    """The nodes that ranges count: all but inputs and the output."""
    return [node for node in module.graph.nodes if node.op not in ("placeholder", "output")]


def cut(nodes: Sequence[Node], values: Values) -> Cut:
    """The subgraph of consecutive operators as a sample holds it, see `extract`. Raises NotASample."""
    found = extract(nodes, values)
    source = source_of(found.graph)
    check_reads(source)
    inputs = []
    for count, node in enumerate(found.outside):
        meta = values.metas[node]
        original = meta.original_name or str(node.meta.get("source_name", node.name))
        inputs.append(replace(meta, name=f"in_{count}", original_name=original))
    return Cut(source, tuple(inputs), has_collectives(found.graph))


def extract(nodes: Sequence[Node], values: Values) -> Extract:
    """The graph of consecutive operators.

    Inputs are the tensors that it uses from outside, in the order of first use; numbers, sizes and dtypes from outside
    become constants. Outputs are the tensors that are used outside, or the last value. Raises NotASample.
    """
    for node in nodes:
        if getattr(node.target, "__name__", "") in STATEFUL:
            raise NotASample("switches a state that counts beyond it")
    inside = set(nodes)
    graph = Graph()
    outside: list[Node] = []
    copies: dict[Node, Any] = {}
    for node in nodes:
        for argument in node.all_input_nodes:
            if argument not in inside and argument not in copies:
                copies[argument] = _from_outside(graph, argument, values, outside)
    for count, node in enumerate(nodes):
        copy = graph.create_node(
            node.op,
            node.target,
            torch.fx.node.map_arg(node.args, lambda one: copies[one]),
            torch.fx.node.map_arg(node.kwargs, lambda one: copies[one]),
            name=f"tmp_{count}",
        )
        copies[node] = copy
    graph.output(tuple(_outputs(graph, nodes, inside, values, copies)))
    return Extract(graph, tuple(outside))


def _from_outside(graph: Graph, node: Node, values: Values, outside: list[Node]) -> Any:
    if node in values.constants:
        constant = values.constants[node]
        return tuple(constant) if isinstance(constant, torch.Size) else constant
    if node not in values.metas:
        raise NotASample("takes a tuple from outside" if node in values.parts else "takes a value that is no tensor")
    outside.append(node)
    return graph.placeholder(f"in_{len(outside) - 1}")


def _outputs(
    graph: Graph, nodes: Sequence[Node], inside: set[Node], values: Values, copies: dict[Node, Any]
) -> list[Node]:
    used = [node for node in nodes if any(user not in inside for user in node.users)] or [nodes[-1]]
    outputs: list[Node] = []
    count = len(nodes)
    for node in used:
        if node in values.metas:
            outputs.append(copies[node])
        for index in values.parts.get(node, ()):
            args = (copies[node], index)
            outputs.append(graph.create_node("call_function", operator.getitem, args, {}, name=f"tmp_{count}"))
            count += 1
    if not outputs:
        raise NotASample("gives no tensor")
    return outputs
