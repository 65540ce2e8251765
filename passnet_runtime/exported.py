"""Passes on programs of `torch.export`.

Such a program calls ATen operators with parameters as attributes; patterns are written against torch's functions. So
each pattern is lowered the same way: exported on the inputs that it was verified for. What export makes of it is then
a pattern like any other.
"""

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node

from evaluator.engine.backend import NoBackward, identity
from evaluator.engine.backend.operators import launchers_as_operators
from evaluator.engine.load import LoadedPass
from evaluator.engine.passes import apply_passes
from passnet_runtime.backend import Allowed, Gate, loaded_folders
from passnet_runtime.record import Call, read_record

_TENSOR = re.compile(r"(\w+) \[([\d, ]*)\](?: strides \[([\d, ]*)\])?")


@dataclass(frozen=True)
class Exported:
    """A program's module with launchers in it, what was replaced (pass, nodes), and what was not and why."""

    module: torch.nn.Module
    matches: tuple[tuple[str, tuple[str, ...]], ...]
    left_alone: tuple[str, ...]
    notes: tuple[str, ...] = ()


def apply_to_export(program: ExportedProgram, folder: str | PathLike[str], unverified: Allowed = "leave") -> Exported:
    """Apply the passes of a folder that has a verification record to an exported program.

    The result is called like `program.module()`. Launchers are custom operators, so it can be compiled too. They have
    no backward: while gradients are on and a parameter needs one, nothing is replaced and a NoBackward warning says so.
    Raises ValueError without a record: it says on which inputs to export the patterns.
    """
    record = read_record(Path(folder))
    if record is None or record.code != identity(Path(folder)):
        raise ValueError(f"{folder}: a record of this code has to lie beside it: `passnet-runtime check` writes one")
    _, loaded, code, gate = loaded_folders([folder], unverified)
    original = program.module()
    assert isinstance(original, GraphModule)
    module = _noted(original)
    matches: list[tuple[str, tuple[str, ...]]] = []
    left: list[str] = []
    notes: list[str] = []
    for item, constants in _lowered(loaded, record.calls, notes):
        applied = apply_passes(module, [item], _with(gate, constants))
        matches += [(item.name, tuple(names)) for names in applied.matched_nodes]
        left += applied.left_alone
        module = applied.module
    if matches and torch.is_grad_enabled() and any(item.requires_grad for item in original.parameters()):
        words = "the program runs without the passes: a gradient would have to flow through a launcher. Apply them"
        warnings.warn(f"{words} under torch.no_grad().", NoBackward, stacklevel=2)
        return Exported(program.module(), (), tuple(left), tuple(notes))
    graph = launchers_as_operators(module, code)
    graph.set_codegen(original.graph._codegen)
    return Exported(GraphModule(module, graph), tuple(matches), tuple(dict.fromkeys(left)), tuple(notes))


def _noted(module: GraphModule) -> GraphModule:
    for node in module.graph.nodes:
        if "val" in node.meta:
            node.meta["example_value"] = node.meta["val"]
    return module


def _with(gate: Gate, constants: dict[str, Any]) -> Callable[..., str | None]:
    """The gate, told also of the inputs that are constants in the lowered pattern."""

    def admit(name: str, inputs: dict[str, Any], nodes: list[Node], source: GraphModule) -> str | None:
        return gate(name, {**inputs, **constants}, nodes, source)

    return admit


def _lowered(
    loaded: Sequence[LoadedPass], calls: Sequence[Call], notes: list[str]
) -> list[tuple[LoadedPass, dict[str, Any]]]:
    """Each pass with its pattern in each form that export gives it, and the inputs that became constants in it."""
    found: list[tuple[LoadedPass, dict[str, Any]]] = []
    for item in loaded:
        seen = set()
        for call in calls:
            if call.pass_name != item.name or call.under:
                continue
            try:
                lowered = _lower(item, call)
            except Exception as problem:  # export may raise anything
                notes.append(f"{item.name} can not be exported on {call.inputs}: {type(problem).__name__}: {problem}")
                continue
            form = str(lowered[0].pattern)
            if form not in seen:
                seen.add(form)
                found.append(lowered)
    return found


def _lower(item: LoadedPass, call: Call) -> tuple[LoadedPass, dict[str, Any]]:
    values = {name: example_of(text) for name, text in call.inputs.items()}
    tensors = [name for name, value in values.items() if isinstance(value, torch.Tensor)]
    constants = {name: value for name, value in values.items() if name not in tensors}
    pattern = GraphModule(torch.nn.Module(), item.pattern) if isinstance(item.pattern, Graph) else item.pattern

    class Whole(torch.nn.Module):
        def forward(self, *given: torch.Tensor) -> Any:
            return pattern(**dict(zip(tensors, given, strict=True)), **constants)

    with torch.no_grad():
        program = torch.export.export(Whole(), tuple(values[name] for name in tensors))
    graph = _as_pattern(program.graph, tensors)

    def replacement_args(*given: Any) -> Any:
        return item.replacement_args(**dict(zip(tensors, given, strict=True)), **constants)

    return replace(item, pattern=graph, replacement_args=replacement_args), constants


def _as_pattern(source: Graph, names: Sequence[str]) -> Graph:
    graph = Graph()
    copies: dict[Node, Node] = {}
    left = iter(names)
    for node in source.nodes:
        if node.op == "placeholder":
            copies[node] = graph.placeholder(next(left))
        elif node.op == "output":
            values = tuple(copies[value] for value in node.args[0])  # type: ignore[union-attr,index]
            graph.output(values[0] if len(values) == 1 else values)
        else:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    return graph


def example_of(text: str) -> Any:
    """A value that a record describes: `float32 [4, 8]` is a tensor of ones. Raises ValueError."""
    found = _TENSOR.fullmatch(text)
    if found is None:
        return ast.literal_eval(text)
    dtype, sizes, strides = found.groups()
    shape = _numbers(sizes)
    made = torch.ones(shape, dtype=getattr(torch, dtype))
    return made if strides is None else torch.empty_strided(shape, _numbers(strides), dtype=made.dtype).copy_(made)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.replace(" ", "").split(",") if part]
