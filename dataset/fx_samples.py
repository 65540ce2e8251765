"""From a torch.fx graph and the values it ran on to a sample: new names, inputs described, a text that reads back."""

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from dataset.collectives import collective
from dataset.tensor_metas import meta_of
from evaluator.engine.build import UnsupportedTarget, build
from graphs.fx_source import parse
from graphs.problems import ReadProblem
from graphs.samples import Sample, TensorMeta, hash_source

_HEADER = "class GraphModule(torch.nn.Module):"
_FROM_TORCH = ("device", "inf", "nan")
_NUMBERS = (bool, int, float)


class NotASample(Exception):
    """A graph that the sample format can not hold; the text says why."""


def sample_of(name: str, module: GraphModule, values: Sequence[Any], graph_net: dict[str, Any]) -> Sample:
    """The sample of a captured graph. `values` are what its inputs held, in order.

    Tensors that the graph reads as attributes become inputs. Raises NotASample for a graph with parts of another kind
    (higher-order operators, modules, calls of plain Python) and for inputs that are no tensors.
    """
    graph, inputs = _renamed(module, values)
    metas = _metas(inputs)
    source = source_of(graph)
    check_reads(source)
    return Sample(name, source, metas, graph_net=graph_net, content_hash=hash_source(source))


def source_of(graph: Graph) -> str:
    """The text of model.py: as torch.fx prints it, with the clean-up that frees a value after its last use."""
    code = graph.python_code("self").src.strip()
    lines = [line.rstrip() for line in code.splitlines() if line.strip()]
    lines[0] = re.sub(r" : ", ": ", lines[0])
    body = "\n".join(f"    {line}" for line in lines)
    words = [word for word in _FROM_TORCH if re.search(rf"(?<![\w.]){word}\b", body)]
    imports = f"from torch import {', '.join(words)}\n" if words else ""
    return f"import torch\n{imports}\n\n{_HEADER}\n{body}\n"


def check_reads(source: str) -> None:
    """Raises NotASample when the readers and the engine do not take the text."""
    try:
        build(parse(source), more=collective)
    except (ReadProblem, UnsupportedTarget) as problem:
        raise NotASample(str(problem)) from None


def _renamed(module: GraphModule, values: Sequence[Any]) -> tuple[Graph, list[tuple[str, str, Any, bool]]]:
    """A copy whose inputs are in_0, in_1, … and whose other nodes are tmp_0, tmp_1, …

    The list has (name, original name, value, whether it is a constant of the graph) of every input.
    """
    graph = Graph()
    copies: dict[Node, Node] = {}
    inputs: list[tuple[str, str, Any, bool]] = []

    def add_input(node: Node, value: Any, constant: bool) -> None:
        name = f"in_{len(inputs)}"
        copies[node] = graph.placeholder(name)
        if type(value) in _NUMBERS:
            copies[node].type = {bool: torch.SymBool, int: torch.SymInt, float: torch.SymFloat}[type(value)]
        inputs.append((name, str(node.target), value, constant))

    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    if len(placeholders) != len(values):
        raise NotASample(f"the graph has {len(placeholders)} inputs and was called with {len(values)}")
    for node, value in zip(placeholders, values, strict=True):
        add_input(node, value, False)
    for node in module.graph.nodes:
        if node.op == "get_attr":
            add_input(node, _attribute(module, str(node.target)), True)
    count = 0
    for node in module.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            continue
        if node.op == "call_module":
            raise NotASample(f"the graph calls the module {node.target!r} as a whole")
        if node.op == "output":
            graph.output(torch.fx.node.map_arg(node.args[0], lambda one: copies[one]))
            continue
        copy = graph.node_copy(node, lambda one: copies[one])
        copy.name, copy.type = f"tmp_{count}", None
        copies[node] = copy
        count += 1
    return graph, inputs


def _attribute(module: GraphModule, path: str) -> torch.Tensor:
    value: Any = module
    for part in path.split("."):
        value = getattr(value, part)
    if isinstance(value, torch.nn.Module):
        raise NotASample(f"the graph holds another graph, {path!r}, for a higher-order operator")
    if not isinstance(value, torch.Tensor):
        raise NotASample(f"the graph holds {path!r}, a {type(value).__name__}")
    return value


def _metas(inputs: Sequence[tuple[str, str, Any, bool]]) -> tuple[TensorMeta, ...]:
    try:
        return tuple(meta_of(name, value, original_name=old, exact=constant) for name, old, value, constant in inputs)
    except TypeError as problem:
        raise NotASample(str(problem)) from None
