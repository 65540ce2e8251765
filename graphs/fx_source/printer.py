"""FX graphs back to text: one statement a node, so that reading it again gives an equal graph."""

import keyword
import math

from graphs.fx_source.model import Arg, Device, FxGraph, FxNode, Ref, Slice, Symbol
from graphs.fx_source.operators import INFIX, PREFIX

_WIDE = 110  # a longer list of inputs is written one a line


def to_source(graph: FxGraph) -> str:
    """A whole model.py of the graph."""
    lines = ["import torch"]
    if any(_needs_operator_module(node) for node in graph.nodes):
        lines.insert(0, "import operator")
    lines += ["", "", "class GraphModule(torch.nn.Module):", _signature(graph)]
    lines += [f"        {node_source(node)}" for node in graph.nodes if node.op != "placeholder"]
    return "\n".join(lines) + "\n"


def node_source(node: FxNode) -> str:
    """The node as one line of code, without clean-up: `tmp_0 = torch.sum(in_0, 1)`."""
    if node.op == "placeholder":
        default = f" = {arg_source(node.args[0])}" if node.args else ""
        return f"{_annotated(node)}{default}"
    if node.op == "output":
        return f"return {arg_source(node.args[0]) if node.args else 'None'}"
    return f"{_annotated(node)} = {expression_source(node)}"


def expression_source(node: FxNode) -> str:
    """What the node computes: the right-hand side of its line."""
    if node.op == "get_attr":
        return _path_source(node.target)
    if node.op == "call_method":
        receiver, *rest = node.args
        return f"{_atom_source(receiver)}.{node.target}({_arguments(tuple(rest), node.kwargs)})"
    return _special_form(node) or f"{node.target}({_arguments(node.args, node.kwargs)})"


def arg_source(value: Arg) -> str:
    """One argument as Python text."""
    match value:
        case Ref(name) | Symbol(name):
            return name
        case bool() | int() | str() | None:
            return repr(value)
        case float():
            return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
        case tuple():
            return f"({', '.join(map(arg_source, value))}{',' if len(value) == 1 else ''})"
        case list():
            return f"[{', '.join(map(arg_source, value))}]"
        case Slice(start, stop, step):
            return f"slice({arg_source(start)}, {arg_source(stop)}, {arg_source(step)})"
        case dict():
            return "{" + ", ".join(f"{key!r}: {arg_source(item)}" for key, item in value.items()) + "}"
        case Device(kind, index):
            return f"torch.device(type={kind!r}" + (")" if index is None else f", index={index})")
        case complex():
            return f"complex({arg_source(value.real)}, {arg_source(value.imag)})"
        case _ if value is Ellipsis:
            return "Ellipsis"
    raise TypeError(f"not an argument of a graph: {value!r}")


def _signature(graph: FxGraph) -> str:
    inputs = [node_source(node) for node in graph.inputs]
    line = f"    def forward({', '.join(['self', *inputs])}):"
    if len(line) <= _WIDE:
        return line
    return "    def forward(\n        self,\n" + "".join(f"        {name},\n" for name in inputs) + "    ):"


def _annotated(node: FxNode) -> str:
    return node.name if node.annotation is None else f"{node.name}: {node.annotation}"


def _arguments(args: tuple[Arg, ...], kwargs: tuple[tuple[str, Arg], ...]) -> str:
    return ", ".join([*map(arg_source, args), *(f"{key}={arg_source(value)}" for key, value in kwargs)])


def _special_form(node: FxNode) -> str | None:
    """The node in Python's own notation, where that reads back as the same node."""
    if node.kwargs or not any(type(arg) is Ref for arg in node.args):
        return None  # constants on both sides could be read as one constant
    match node.target, node.args:
        case "operator.getitem", (Ref() as value, index):
            return f"{arg_source(value)}[{arg_source(index)}]"
        case "getattr", (Ref() as value, str() as name) if _is_name(name):
            return f"{arg_source(value)}.{name}"
        case target, (left, right) if target in INFIX:
            return f"{_operand_source(left)} {INFIX[target]} {_operand_source(right)}"
        case target, (value,) if target in PREFIX:
            return f"{PREFIX[target]}{arg_source(value)}"
    return None


def _operand_source(value: Arg) -> str:
    text = arg_source(value)
    return f"({text})" if text.startswith("-") else text  # -1 ** x is -(1 ** x)


def _atom_source(value: Arg) -> str:
    text = arg_source(value)
    return text if type(value) in (Ref, tuple, list, Symbol) else f"({text})"


def _path_source(path: str) -> str:
    text = "self"
    for part in path.split("."):
        text = f"{text}.{part}" if _is_name(part) else f"getattr({text}, {part!r})"
    return text


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def _needs_operator_module(node: FxNode) -> bool:
    return node.target.startswith("operator.") and _special_form(node) is None
