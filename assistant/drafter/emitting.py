"""The lines of a kernel that compute a value, each element from where it comes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.drafter.doubt import LAST_DIGITS, in_doubt, is_rounded, may_be_exact
from assistant.drafter.dtypes import DType
from assistant.drafter.kernel_text import NeedsMemory, Stored
from assistant.drafter.lower import Lowering
from assistant.drafter.scope import IndexText, Lines, Names
from assistant.drafter.sizes import ONE, ZERO, Index, Loaded, Size, Space, coord
from assistant.drafter.values import Formula, Joined, Load, Moved, Reduce, Rows, Shape, Value

_RESERVED = "tl libdevice triton torch row col at inside start dtype float range min len"
IDENTITY = {"sum": "0", "max": 'float("-inf")', "min": 'float("inf")'}
PUT_TOGETHER = {"sum": "{} + {}", "max": "tl.maximum({}, {})", "min": "tl.minimum({}, {})"}


@dataclass(frozen=True)
class Held:
    """A variable of the kernel, and the axes it depends on."""

    text: str
    axes: frozenset[int]


Condition = tuple[str, frozenset[int]]


class Emitter:
    """Writes values within one kernel. `reduced` are the axes of the iteration space that a row runs over; none:
    elementwise."""

    def __init__(
        self,
        low: Lowering,
        name: str,
        shape: Shape,
        reduced: Sequence[int],
        stored: Sequence[Stored],
        in_memory: Mapping[int, str],
        looped: bool,
    ) -> None:
        self.low = low
        self.name = name
        self.shape = tuple(map(low.resolved, shape))
        self.space = Space(low.facts, self.shape)
        self.reduced = tuple(reduced)
        self.stored = tuple(stored)
        own = {id(item.value) for item in stored}
        self.results = {id(_unmoved(item.value)) for item in stored}
        self.in_memory = {key: buffer for key, buffer in in_memory.items() if key not in own}
        self.looped = looped
        self.names = Names(set(_RESERVED.split()))
        self.lines = Lines(self.names)
        outer = [axis for axis in range(len(self.shape)) if axis not in self.reduced]
        groups = {"row": outer, "col": list(self.reduced)} if self.reduced else {"at": outer}
        inner = frozenset(self.reduced)
        self.index = IndexText(self.space, groups, self.lines, inner)
        self.outer = outer
        self.pointers: list[str] = []
        self.pointer_types: dict[str, DType] = {}
        self.held: dict[tuple[int, tuple[Index, ...], tuple[Condition, ...]], Held] = {}
        self.dtypes: dict[tuple[str, ...], str] = {}
        self.header: list[str] = []
        self.sums: dict[int, tuple[int, Held]] = {}
        self.canonical = tuple(ZERO if size == ONE else coord(axis) for axis, size in enumerate(self.shape))

    # ---- values ----

    def emit(self, value: Value, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        at = tuple(
            ZERO if self.low.resolved(size) == ONE else index for size, index in zip(value.shape, at, strict=True)
        )
        key = (id(value), at, conditions)
        if key not in self.held:
            self.held[key] = self._emitted(value, at, conditions)
        return self.held[key]

    def _emitted(self, value: Value, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        buffer = self.in_memory.get(id(value))
        if buffer is not None:
            return self._load(value, buffer, at, conditions)
        match value:
            case Load(tensor=tensor):
                return self._load(value, tensor, at, conditions)
            case Formula():
                return self._formula(value, at, conditions)
            case Moved(operand=operand, move=move):
                return self.emit(operand, tuple(move(self.space, at)), conditions)
            case Reduce():
                return self._reduction(value, at)
            case Joined():
                return self._joined(value, at, conditions)
            case Rows(table=table, index=index):
                picked = self.emit(index, at[:-1], conditions)
                row = Index(((ONE, Loaded(picked.text, self.low.resolved(table.shape[0]), picked.axes)),))
                return self.emit(table, (row, at[-1]), conditions)
        raise TypeError(value)

    def spaced(self, index: Index) -> str:
        return self.index.text(index)

    def _load(self, value: Value, tensor: str, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        place = self.space.linear(at, tuple(map(self.low.resolved, value.shape)))
        axes = place.axes()
        self.pointer(tensor, value.dtype)
        where = f"{tensor}_ptr" if not place.terms else f"{tensor}_ptr + {self.spaced(place)}"
        mask = self.mask(axes, conditions, other="0.0" if value.dtype.kind == 2 else "0")
        text = f"tl.load({where}{mask})"
        if value.dtype.narrow:
            text += f".to(tl.{value.dtype.compute})"
        return self._variable(value.name or tensor, text, axes)

    def mask(self, axes: frozenset[int], conditions: tuple[Condition, ...], other: str = "") -> str:
        parts = []
        if not self.reduced:
            parts += ["inside"] if axes else []
        else:
            parts += ["row_inside"] if axes & frozenset(self.outer) else []
            parts += ["col_inside"] if axes & frozenset(self.reduced) else []
        parts += [text for text, needed in conditions if needed and needed <= axes]
        if not parts:
            return ""
        return f", mask={' & '.join(parts)}" + (f", other={other}" if other else "")

    def _variable(self, wanted: str, text: str, axes: frozenset[int]) -> Held:
        return Held(self.lines.named(wanted, text, self.index.inner(axes)), axes)

    def _formula(self, value: Formula, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        held = [self.emit(part, tuple(at[len(at) - len(part.shape) :]), conditions) for part in value.operands]
        axes = frozenset().union(*(part.axes for part in held)) if held else frozenset()
        text = value.text.format(*(part.text for part in held))
        for name in sorted(self.low.facts.values, key=len, reverse=True):
            if name in text.replace("(", " ").replace(")", " ").split():
                self.index.sizes_used.add(name)
        rounded = is_rounded(value)
        if rounded and id(value) not in self.results and in_doubt(value):
            text = self._rounded_unless_in_doubt(value, text, axes)
        elif rounded:
            word = text if value.text == "{0}" else f"({text})"
            text = f"{word}.to({self._dtype(value.dtype)}).to(tl.{value.dtype.compute})"
        elif value.text == "{0}":
            return Held(held[0].text, axes)
        return self._variable(value.name or "step", text, axes)

    def _rounded_unless_in_doubt(self, value: Formula, text: str, axes: frozenset[int]) -> str:
        """Rounded where eager rounds; as it is where a last digit decides to which side, see `in_doubt`."""
        name = value.name or "step"
        exact = text if text.isidentifier() else self._variable(f"{name}_exact", text, axes).text
        dtype, wide = self._dtype(value.dtype), f"tl.{value.dtype.compute}"
        low, high = (
            self._variable(f"{name}_{side}", f"({exact} * {factor}).to({dtype}).to({wide})", axes).text
            for side, factor in (("low", 1 - LAST_DIGITS), ("high", 1 + LAST_DIGITS))
        )
        sure_text = f"{low} == {high}"
        if may_be_exact(value):  # right in the middle lie sums of few numbers, which are exact
            sure_text = f"({sure_text}) | ({exact} == 0.5 * ({low} + {high}))"
        sure = self._variable(f"{name}_sure", sure_text, axes).text
        return f"tl.where({sure}, {exact}.to({dtype}).to({wide}), {exact})"

    def operand_at(self, value: Reduce) -> tuple[Index, ...]:
        """Where a row's elements of a reduction's operand are; raises NeedsMemory where its rows are not these."""
        shape = tuple(map(self.low.resolved, value.operand.shape))
        offset = len(self.shape) - len(shape)
        if offset < 0 or tuple(dim + offset for dim in value.dims) != self.reduced:
            raise NeedsMemory(value)
        for dim, size in enumerate(shape):
            here = self.shape[dim + offset]
            if size == here or (size == ONE and dim not in value.dims):
                continue
            if ONE in (size, here) or self.low.facts.of(size) != self.low.facts.of(here):
                raise NeedsMemory(value)
            self.low.equal(here, size)
        return self.canonical[offset:]

    def _reduction(self, value: Reduce, at: tuple[Index, ...]) -> Held:
        operand = self.operand_at(value) if self.reduced else None
        if operand is None or any(
            index != wanted
            for dim, (index, wanted) in enumerate(zip(at, operand, strict=True))
            if dim not in value.dims and self.low.resolved(value.shape[dim]) != ONE
        ):
            raise NeedsMemory(value)
        if id(value) in self.sums:
            return self.sums[id(value)][1]
        if self.looped:
            raise self.low.refuse("a reduction comes too early")
        tile = self.emit(value.operand, operand, ())
        masked = f"tl.where(col_inside, {tile.text}, {IDENTITY[value.how]})"
        text = f"tl.{value.how}({masked}, axis=1)[:, None]"
        held = self._variable(value.name or f"row_{value.how}", text, frozenset(self.outer))
        self.sums[id(value)] = (0, held)
        return held

    def _joined(self, value: Joined, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        index = at[value.dim]
        axes = index.axes()
        text = self.spaced(index)
        word = self.lines.named("along", text, self.index.inner(axes)) if " " in text else text
        ends: list[Size] = []
        starts: list[list[Size]] = []
        lengths = [self.low.resolved(part.shape[value.dim]) for part in value.parts]
        for place in range(len(lengths)):
            starts.append(lengths[:place])
            ends.append(lengths[place])
        pieces: list[Held] = []
        bounds: list[str] = []
        for place, part in enumerate(value.parts):
            low_text = _total(self.index, starts[place])
            high_text = _total(self.index, [*starts[place], ends[place]])
            bounds.append(high_text)
            here = [f"({word} >= {low_text})"] if place else []
            here += [f"({word} < {high_text})"] if place < len(value.parts) - 1 else []
            shifted = self.space.plus(
                index, *(self.space.times(self.space.constant(size), Size(-1)) for size in starts[place])
            )
            inner_at = (*at[: value.dim], shifted, *at[value.dim + 1 :])
            pieces.append(self.emit(part, inner_at, (*conditions, *((text, axes) for text in here))))
        result = pieces[-1].text
        for piece, bound in zip(reversed(pieces[:-1]), reversed(bounds[:-1]), strict=True):
            result = f"tl.where({word} < {bound}, {piece.text}, {result})"
        return self._variable(value.name or "joined", result, axes.union(*(piece.axes for piece in pieces)))

    # ---- pointers and dtypes ----

    def pointer(self, name: str, dtype: DType) -> None:
        if name not in self.pointers:
            self.pointers.append(name)
            self.pointer_types[name] = dtype
            self.names.used.add(f"{name}_ptr")

    def _dtype(self, dtype: DType) -> str:
        """The name of a dtype in the kernel."""
        if not dtype.source and len(set(dtype.names)) == 1:
            return f"tl.{dtype.name}"
        if dtype.names not in self.dtypes:
            known = next((name for name, other in self.pointer_types.items() if other.names == dtype.names), None)
            if known is None:
                if dtype.source not in self.low.inputs:
                    return f"tl.{dtype.name}"
                known = dtype.source
                self.pointer(known, dtype)
            name = self.names.take("dtype" if not self.dtypes else "dtype_1")
            if not self.dtypes:
                name = "dtype"
            self.header.append(f"{name}: tl.constexpr = {known}_ptr.dtype.element_ty")
            self.dtypes[dtype.names] = name
        return self.dtypes[dtype.names]


def _total(index: IndexText, sizes: Sequence[Size]) -> str:
    if all(not size.names for size in sizes):
        return str(sum(size.factor for size in sizes))
    return (
        " + ".join(index.size(size) for size in sizes)
        if len(sizes) == 1
        else f"({' + '.join(index.size(size) for size in sizes)})"
    )


def _unmoved(value: Value) -> Value:
    return _unmoved(value.operand) if isinstance(value, Moved) else value
