"""From a parsed graph to a torch.fx.GraphModule that runs, without ever executing a dataset's text."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from evaluator.engine import operations
from graphs.fx_source import Device, FxGraph, FxNode, Ref, Slice, Symbol

# Names that generated code uses for itself; an input of that name would hide them.
_TAKEN = frozenset({"torch", "inf", "nan", "device", "self", "math", "operator", "NoneType", "fx_pytree", "builtins"})

Named = Callable[[str], Callable[..., Any] | None] | None


class UnsupportedTarget(Exception):
    """A graph calls something that is no operation of torch (or does not exist in this torch)."""

    def __init__(self, file: str, line: int | None, target: str, why: str = "is no operation that may be run") -> None:
        self.file, self.line, self.target = file, line, target
        super().__init__(f"{file}:{line or 0}: `{target}` {why}")


def build(graph: FxGraph, file: str = "model.py", more: Named = None) -> GraphModule:
    """A module that computes the graph: `forward` takes its inputs by position and returns what the graph returns.

    Nodes keep their names as far as torch.fx allows; `node.meta["source_name"]` is the name in the graph. `more` finds
    what else a name may stand for, where graphs of one's own capture are run.
    Raises UnsupportedTarget for a call that is not on the allow-list.
    """
    built = Graph()
    nodes: dict[str, Node] = {}
    for item in graph.nodes:
        node = _node(built, item, nodes, file, more)
        node.meta["source_name"] = item.name
        if item.annotation is not None:
            node.meta["annotation"] = item.annotation
        if item.op == "call_function":
            node.meta["source_target"] = item.target
        nodes[item.name] = node
    if not any(item.op == "output" for item in graph.nodes):
        built.output(None)
    return GraphModule(torch.nn.Module(), built)


def on_device(module: GraphModule, device: torch.device | str) -> GraphModule:
    """The same module with every device that a node names (`device=torch.device("cuda:0")`) replaced by `device`.

    Graphs are captured on one machine and run on another. Matching comes first: patterns name the captured device.
    """
    wanted = torch.device(device)
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in module.graph.nodes:
        copy = copies[node] = graph.node_copy(node, lambda source: copies[source])
        copy.args = torch.fx.node.map_aggregate(copy.args, lambda value: _moved(value, wanted))  # type: ignore[assignment]
        copy.kwargs = torch.fx.node.map_aggregate(copy.kwargs, lambda value: _moved(value, wanted))  # type: ignore[assignment]
        _move_autocast(copy, wanted)
    return GraphModule(module, graph)


def _moved(value: Any, wanted: torch.device) -> Any:
    return wanted if isinstance(value, torch.device) and value.type != wanted.type else value


def _move_autocast(node: Node, wanted: torch.device) -> None:
    """Autocast regions name a kind of device by a text: `_enter_autocast("cuda", torch.bfloat16, True, None)`."""
    name = getattr(node.target, "__name__", "")
    if name == "_enter_autocast" and node.args and node.args[0] in ("cpu", "cuda"):
        node.args = (wanted.type, *node.args[1:])


def _node(graph: Graph, item: FxNode, nodes: dict[str, Node], file: str, more: Named) -> Node:
    line = item.span.line if item.span is not None else None
    try:
        args = tuple(_argument(value, nodes) for value in item.args)
        kwargs = {name: _argument(value, nodes) for name, value in item.kwargs}
    except KeyError as error:
        raise UnsupportedTarget(file, line, str(error.args[0]), "is no constant that a graph may hold") from None
    target: Any = item.target
    match item.op:
        case "placeholder":
            node = graph.create_node("placeholder", _safe(item.name), args[:1], {}, name=_safe(item.name))
            node.target = node.name
            return node
        case "output":
            return graph.create_node("output", "output", args[:1] or (None,), {}, name="output")
        case "get_attr":
            raise UnsupportedTarget(file, line, f"self.{target}", "is not among the graph's inputs")
        case "call_method":
            if not operations.is_method(target):
                raise UnsupportedTarget(file, line, f".{target}()", "is no operation on tensors that may be run")
        case "call_function":
            found = getattr if target == "getattr" else operations.function(target)
            if found is None and more is not None:
                found = more(target)
            if found is None or (found is getattr and not _is_plain_read(args)):
                name = f".{args[1]}" if target == "getattr" and len(args) > 1 else target
                raise UnsupportedTarget(file, line, name)
            target = found
    return graph.create_node(item.op, target, args, kwargs, name=_safe(item.name))


def _is_plain_read(args: tuple[Any, ...]) -> bool:
    return len(args) == 2 and isinstance(args[1], str) and operations.is_attribute(args[1])


def _argument(value: Any, nodes: dict[str, Node]) -> Any:
    """A parsed argument as torch.fx takes it. Raises KeyError with the name of what is no constant."""
    match value:
        case Ref(name):
            return nodes[name]
        case Symbol(name):
            found = operations.constant(name)
            if found is None:
                raise KeyError(name)
            return found
        case Device(kind, index):
            try:
                return torch.device(kind) if index is None else torch.device(kind, index)
            except RuntimeError:
                raise KeyError(f"device({kind!r})") from None
        case Slice(start, stop, step):
            return slice(_argument(start, nodes), _argument(stop, nodes), _argument(step, nodes))
        case tuple():
            return tuple(_argument(item, nodes) for item in value)
        case list():
            return [_argument(item, nodes) for item in value]
        case dict():
            return {key: _argument(item, nodes) for key, item in value.items()}
    return value


def _safe(name: str) -> str:
    """A name that generated Python code can use whatever the dataset calls its variables."""
    plain = re.sub(r"[^0-9a-zA-Z_]+", "_", name)
    return f"{plain}_" if plain in _TAKEN or not plain.strip("_") else plain
