"""From the nodes of a selection to values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.drafter.call import writes_in_place
from assistant.drafter.dtypes import DType, promoted
from assistant.drafter.refusals import NoKernel
from assistant.drafter.sizes import ONE, Facts, Index, Size, Space
from assistant.drafter.values import Formula, Load, Moved, Shape, Value
from graphs.fx_source import FxNode, Ref
from graphs.operators import operator_label


@dataclass(frozen=True)
class Tensor:
    """What is known of a node's value in each graph."""

    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]


@dataclass
class Learned:
    """What one reading of the nodes leaves for the next. `bound`: sizes of inputs that turned out to be equal to
    something else. `derived`: the launcher's expression → the name of the size that it computes."""

    bound: dict[str, Size] = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[int, ...]] = field(default_factory=dict)


class Lowering:
    """Reads nodes in order; again and again, until there is nothing new in `learned`."""

    def __init__(self, facts: Facts, known: Mapping[str, Tensor | None], learned: Learned) -> None:
        self.facts = facts
        self.known = known
        self.learned = learned
        self.bound = learned.bound
        facts.values.update(learned.values)
        self.env: dict[str, Any] = {}
        self.inputs: dict[str, Load] = {}
        self.input_sizes: dict[str, Shape] = {}  # before `bound`
        self.derived: dict[str, str] = {}  # size name → the launcher's expression for it
        self.news = False  # `bound` has grown
        self._input_sizes = 0
        self._roots: dict[str, str] = {}
        self._node = ""

    # ---- inputs ----

    def add_input(self, name: str) -> None:
        tensor = self.known.get(name)
        if tensor is None:
            raise NoKernel(f"`{name}` is no tensor, or of unknown shape: select what makes it as well", name)
        ranks = {len(shape) for shape in tensor.shapes}
        if len(ranks) != 1:
            raise NoKernel(f"`{name}` has another number of dimensions in another graph", name)
        if any(0 in shape for shape in tensor.shapes):
            raise NoKernel(f"`{name}` is empty", name)
        sizes = tuple(self._input_size(sizes) for sizes in zip(*tensor.shapes, strict=True))
        self.input_sizes[name] = sizes
        load = Load(tuple(self.resolved(size) for size in sizes), DType(tensor.dtypes, name), name, name=name)
        load.dtype.kind  # noqa: B018 - refuses mixed kinds
        self.inputs[name] = load
        self.env[name] = load

    def _input_size(self, values: tuple[int, ...]) -> Size:
        return self.new_size(values)

    def new_size(self, values: tuple[int, ...], expression: str = "") -> Size:
        """A size with a name of its own."""
        if set(values) == {1} and not expression:
            return ONE
        if expression:
            name = self.learned.derived.get(expression, "")
            if not name or self.learned.values[name] != values:
                name = f"D{self._input_sizes + len(self.learned.derived)}"
                self.learned.derived[expression] = name
                self.learned.values[name] = values
            self.derived[name] = expression
        else:
            name = f"D{self._input_sizes}"
            self._input_sizes += 1
        self.facts.values[name] = values
        return Size(1, (name,))

    def resolved(self, size: Size) -> Size:
        result = Size(size.factor)
        for name in size.names:
            known = self.bound.get(name)
            result = result * (Size(1, (name,)) if known is None else self.resolved(known))
        return result

    def equal(self, first: Size, second: Size) -> Size:
        """The one size that two have to be. Learns about inputs; raises NoKernel where they differ."""
        first, second = self.resolved(first), self.resolved(second)
        if first == second:
            return first
        if self.facts.of(first) != self.facts.of(second):
            raise NoKernel("sizes that have to be equal are not known to be", self._node)
        for name, other in ((second, first), (first, second)):
            if name.factor == 1 and len(name.names) == 1 and name.names[0] not in self.derived:
                if name.names[0] in self.behind(other):
                    continue
                self.bound[name.names[0]] = other
                self.news = True
                return other
        self.facts.pin(first, second)
        return first

    def behind(self, size: Size) -> set[str]:
        """The names that a size is made of, through what is derived."""
        found, todo = set(), list(size.names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += re.findall(r"\bD\d+\b", self.derived.get(name, ""))
        return found

    # ---- nodes ----

    def read(self, node: FxNode) -> None:
        from assistant.drafter.operators import lower_node

        self._node = node.name
        value = lower_node(self, node)
        if isinstance(value, Value):
            if not value.name:
                value.name = node.name
            self._check(node, value)
        if writes_in_place(node):
            self._written(node, value)
        else:
            self._share(node, value)
        self.env[node.name] = value

    def _check(self, node: FxNode, value: Value) -> None:
        known = self.known.get(node.name)
        if known is None:
            return
        found = tuple(zip(*(self.facts.of(size) for size in value.shape), strict=True)) if value.shape else ()
        shapes = known.shapes if value.shape else ()
        if value.shape and tuple(tuple(shape) for shape in shapes) != found:
            raise NoKernel(f"`{operator_label(node)}` gives another shape than the drafter expects", node.name)
        if not value.shape and any(known.shapes):
            raise NoKernel(f"`{operator_label(node)}` gives another shape than the drafter expects", node.name)
        if known.dtypes != value.dtype.names:
            raise NoKernel(f"`{operator_label(node)}` gives another dtype than the drafter expects", node.name)

    def _share(self, node: FxNode, value: Any) -> None:
        first = node.args[0].name if node.args and isinstance(node.args[0], Ref) else None
        if first is not None and (isinstance(value, Moved) or value is self.env.get(first)):
            self._roots[node.name] = self._roots.get(first, first)

    def _written(self, node: FxNode, value: Any) -> None:
        """After a change in place every name of that memory stands for the new value."""
        target = node.args[0]
        if not isinstance(target, Ref) or not isinstance(value, Value):
            raise NoKernel(f"`{operator_label(node)}` changes part of a tensor in place", node.name)
        old = self.env[target.name]
        if isinstance(old, Moved) and old.alias:
            raise NoKernel(f"`{operator_label(node)}` changes a tensor in place through a view of it", node.name)
        root = self._roots.get(target.name, target.name)
        if old.dtype != value.dtype or tuple(map(self.resolved, old.shape)) != tuple(map(self.resolved, value.shape)):
            raise NoKernel(f"`{operator_label(node)}` changes a tensor in place to another form", node.name)
        for name, other in list(self.env.items()):
            if self._roots.get(name, name) != root:
                continue
            if other is old:
                self.env[name] = value
            elif isinstance(other, Moved):
                raise NoKernel(f"`{operator_label(node)}` changes in place what `{name}` is a view of", node.name)
        self._roots[node.name] = root

    # ---- what operators are made of ----

    def refuse(self, why: str) -> NoKernel:
        return NoKernel(why, self._node)

    def tensor(self, arg: Any) -> Value:
        value = self.env.get(arg.name) if isinstance(arg, Ref) else None
        if not isinstance(value, Value):
            raise self.refuse("an argument is no tensor that the drafter knows")
        return value

    def broadcast(self, *shapes: Shape) -> Shape:
        """The shape of an elementwise result."""
        result: list[Size] = []
        for place in range(1, max(map(len, shapes), default=0) + 1):
            size = ONE
            for shape in shapes:
                if len(shape) < place:
                    continue
                other = self.resolved(shape[-place])
                if size == ONE or other == ONE:
                    size = other if size == ONE else size
                elif self.facts.of(size) == self.facts.of(other):
                    size = self.equal(size, other)
                elif self._is_one(size):
                    size = other
                elif not self._is_one(other):
                    raise self.refuse("sizes that have to be equal are not")
            result.insert(0, size)
        return tuple(result)

    def _is_one(self, size: Size) -> bool:
        """Whether a size that is not written as 1 is 1 all the same: then the launcher has to insist on it."""
        values = set(self.facts.of(size))
        if values == {1}:
            self.facts.pin(size)
        elif 1 in values:
            raise self.refuse("a size of 1 comes from another place in another graph")
        return values == {1}

    def formula(self, text: str, *operands: Value, dtype: DType, exact: bool = False, name: str = "") -> Formula:
        shape = self.broadcast(*(value.shape for value in operands))
        return Formula(shape, dtype, text, operands, exact, name=name)

    def cast(self, value: Value, compute: str) -> Value:
        """The value in another type to compute in."""
        if value.dtype.compute == compute:
            return value
        dtype = DType((compute.replace("int1", "bool"),) * len(value.dtype.names))
        text = "({0} != 0)" if compute == "int1" else f"{{0}}.to(tl.{compute})"
        return Formula(value.shape, dtype, text, (value,), True)

    def wide(self, value: Value) -> Value:
        """The value in the type that floats are computed in."""
        return self.cast(value, "float64" if "float64" in value.dtype.names else "float32")

    def promoted(self, *values: Value) -> DType:
        result, scalar = values[0].dtype, not values[0].shape
        for value in values[1:]:
            result = promoted(result, value.dtype, scalar, not value.shape)
            scalar = scalar and not value.shape
        return result

    def dims(self, value: Any, rank: int) -> tuple[int, ...]:
        """Dimensions as sorted places; None stands for all."""
        if value is None:
            return tuple(range(rank))
        given = value if isinstance(value, (tuple, list)) else (value,)
        if any(type(dim) is not int or not -max(rank, 1) <= dim < max(rank, 1) for dim in given):
            raise self.refuse("a dimension is no plain number within the tensor")
        return tuple(sorted({dim % max(rank, 1) for dim in given})) or tuple(range(rank))

    def dim(self, value: Any, rank: int) -> int:
        return self.dims(value, rank)[0]

    def moved(self, operand: Value, shape: Shape, move: Any, alias: bool = True, dense: bool = False) -> Moved:
        return Moved(shape, operand.dtype, operand, move, alias, dense)

    def without_dims(self, value: Value, dims: Sequence[int]) -> Value:
        """Size-1 dimensions taken away."""
        kept = [place for place in range(len(value.shape)) if place not in dims]

        def move(space: Space, at: Sequence[Index]) -> list[Index]:
            back = dict(zip(kept, at, strict=True))
            return [back.get(place, Index()) for place in range(len(value.shape))]

        return self.moved(value, tuple(value.shape[place] for place in kept), move, dense=True)
