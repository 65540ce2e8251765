"""FX graphs as plain values: nodes, arguments, edges and where in the text each node stands."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Op = Literal["placeholder", "call_function", "call_method", "get_attr", "output"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of model.py: 1-based lines, 0-based columns in UTF-16 units (what Monaco counts, less one)."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of another node."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A constant known by its dotted name: `torch.float32`, `torch.strided`, `torch.channels_last`, `int`."""

    name: str


@dataclass(frozen=True, slots=True)
class Device:
    """A device constant: `device(type='cuda', index=0)`."""

    type: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step`; each part is an argument of its own and may be a Ref."""

    start: Any = None
    stop: Any = None
    step: Any = None


# An argument is Ref | int | float | complex | bool | str | None | Ellipsis | Symbol | Device | Slice,
# or a tuple, list or dict (values only) of arguments.
Arg = Any


@dataclass(frozen=True, slots=True)
class FxNode:
    """One node of a graph.

    `target`: for placeholder the input's name, for call_function the dotted name ("torch.sum"; "operator.add" and the
    like for Python operators, "operator.getitem" for subscripts, "getattr" for attribute reads), for call_method the
    bare name ("view", its receiver is args[0]), for get_attr the path without `self.`, for output "output" (its value
    is args[0]). A placeholder with a default has it in args. `annotation` is Python text. Spans do not count in
    comparisons.
    """

    name: str
    op: Op
    target: str
    args: tuple[Arg, ...] = ()
    kwargs: tuple[tuple[str, Arg], ...] = ()
    span: Span | None = field(default=None, compare=False)
    annotation: str | None = None

    def refs(self) -> Iterator[str]:
        """Names of the nodes that this one uses, in order, with repetition."""
        yield from _refs(self.args)
        for _, value in self.kwargs:
            yield from _refs(value)


@dataclass(frozen=True)
class FxGraph:
    """Nodes in the order of execution; names are unique."""

    nodes: tuple[FxNode, ...]

    @cached_property
    def by_name(self) -> dict[str, FxNode]:
        return {node.name: node for node in self.nodes}

    def node(self, name: str) -> FxNode:
        """The node called `name`; KeyError when there is none."""
        return self.by_name[name]

    @cached_property
    def inputs(self) -> tuple[FxNode, ...]:
        """The placeholders, in order."""
        return tuple(node for node in self.nodes if node.op == "placeholder")

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the nodes that the graph returns, in order; one that is returned twice is named twice."""
        return tuple(name for node in self.nodes if node.op == "output" for name in node.refs())

    def edges(self) -> tuple[tuple[str, str], ...]:
        """(producer, consumer), once each, in the order of the consumers."""
        return self._edges

    def users(self, name: str) -> tuple[str, ...]:
        """Names of the nodes that use `name`, in order."""
        return self._users.get(name, ())

    @cached_property
    def _edges(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, node.name) for node in self.nodes for name in dict.fromkeys(node.refs()))

    @cached_property
    def _users(self) -> dict[str, tuple[str, ...]]:
        users: dict[str, list[str]] = {}
        for producer, consumer in self._edges:
            users.setdefault(producer, []).append(consumer)
        return {name: tuple(consumers) for name, consumers in users.items()}


def _refs(value: Arg) -> Iterator[str]:
    kind = type(value)
    if kind is Ref:
        yield value.name
    elif kind is tuple or kind is list:
        for item in value:
            if type(item) not in _ATOMS:
                yield from _refs(item)
    elif kind is Slice:
        yield from _refs((value.start, value.stop, value.step))
    elif kind is dict:
        for item in value.values():
            yield from _refs(item)


_ATOMS = frozenset({int, float, bool, str, type(None), complex, Symbol, Device, type(Ellipsis)})


def map_refs(value: Arg, rename: dict[str, str]) -> Arg:
    """The argument with the nodes in `rename` renamed."""
    match value:
        case Ref(name):
            return Ref(rename.get(name, name))
        case tuple():
            return tuple(map_refs(item, rename) for item in value)
        case list():
            return [map_refs(item, rename) for item in value]
        case dict():
            return {key: map_refs(item, rename) for key, item in value.items()}
        case Slice(start, stop, step):
            return Slice(map_refs(start, rename), map_refs(stop, rename), map_refs(step, rename))
    return value
