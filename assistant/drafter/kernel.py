"""One Triton kernel: values to be stored, written out line by line, each element from where it comes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assistant.drafter.doubt import LAST_DIGITS, in_doubt, is_rounded, may_be_exact
from assistant.drafter.dtypes import DType
from assistant.drafter.lower import Lowering
from assistant.drafter.scope import IndexText, Lines, Names
from assistant.drafter.sizes import ONE, ZERO, Index, Loaded, Size, Space, coord, product
from assistant.drafter.values import Formula, Joined, Load, Moved, Reduce, Rows, Shape, Value, children

_RESERVED = (
    "tl",
    "libdevice",
    "triton",
    "torch",
    "row",
    "col",
    "at",
    "inside",
    "start",
    "dtype",
    "float",
    "range",
    "min",
    "len",
)


class NeedsMemory(Exception):
    """A reduction that this kernel can not hold in a row: an earlier kernel has to store it."""

    def __init__(self, reduce: Reduce) -> None:
        super().__init__("stored by a kernel of its own")
        self.reduce = reduce


@dataclass(frozen=True)
class Stored:
    """A value that a kernel writes, and the launcher's name for the memory."""

    value: Value
    buffer: str


@dataclass
class KernelText:
    """A kernel and how it is launched."""

    name: str
    pointers: list[str]  # the launcher's names of the tensors, in order
    sizes: list[str]
    body: list[str]
    rows: Size | None  # None: elementwise, over `elements`
    columns: Size = ONE
    elements: Size = ONE
    looped: bool = False
    across: bool = False  # the columns do not lie next to each other
    stored: tuple[Stored, ...] = field(default=())
    flat: bool = False  # needs no size at all


@dataclass(frozen=True)
class Held:
    """A variable of the kernel, and the axes it depends on."""

    text: str
    axes: frozenset[int]


Condition = tuple[str, frozenset[int]]


class KernelWriter:
    """Writes one kernel. `reduced` are the axes of the iteration space that a row runs over; none: elementwise."""

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
        self.names = Names(set(_RESERVED))
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

    # ---- the whole kernel ----

    def write(self) -> KernelText:
        for item in self.stored:
            self._pointer(item.buffer, item.value.dtype)
        at = tuple(ZERO if size == ONE else coord(axis) for axis, size in enumerate(self.shape))
        self.canonical = at
        body = self._over_rows(at) if self.reduced else self._elementwise(at)
        outs = [item.buffer for item in self.stored]
        pointers = [name for name in self.pointers if name not in outs] + outs
        sizes = sorted(self.index.sizes_used, key=lambda name: int(name[1:]) if name[1:].isdigit() else 0)
        return KernelText(
            self.name,
            pointers,
            sizes,
            self.header + body,
            rows=product(self.shape[axis] for axis in self.outer) if self.reduced else None,
            columns=product(self.shape[axis] for axis in self.reduced),
            elements=product(self.shape),
            looped=self.looped,
            across=bool(self.reduced)
            and self.reduced != tuple(range(len(self.shape) - len(self.reduced), len(self.shape))),
            stored=self.stored,
            flat=not self.reduced and not sizes,
        )

    def _elementwise(self, at: tuple[Index, ...]) -> list[str]:
        for item in self.stored:
            self._store(item, at)
        start = ["at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", "inside = at < elements"]
        return [*start, *self.lines.outer]

    def _over_rows(self, at: tuple[Index, ...]) -> list[str]:
        rows = self.index.size(product(self.shape[axis] for axis in self.outer))
        columns = self.index.size(product(self.shape[axis] for axis in self.reduced))
        start = [
            "row = (tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]",
            f"row_inside = row < {rows}",
        ]
        column = ["col = tl.arange(0, BLOCK_COLS)[None, :]", f"col_inside = col < {columns}"]
        self.names.used |= {"row_inside", "col_inside"}
        if not self.looped:
            self.lines.inner = self.lines.outer
            for item in self.stored:
                self._store(item, at)
            return [*start, *column, *self.lines.outer]
        body: list[str] = []
        for level in self._levels():
            self._loop_over(level, body, columns)
        for item in self.stored:
            self._store(item, at)
        body += self._taken_outer()
        inner = self.lines.new_loop()
        if inner:
            body += self._loop(inner, columns)
        return [*start, *body]

    def _taken_outer(self) -> list[str]:
        outer, self.lines.outer = self.lines.outer, []
        return outer

    def _loop(self, inner: Sequence[str], columns: str) -> list[str]:
        head = [
            f"for start in range(0, {columns}, BLOCK_COLS):",
            "    col = start + tl.arange(0, BLOCK_COLS)[None, :]",
            f"    col_inside = col < {columns}",
        ]
        return head + [f"    {line}" for line in inner]

    def _levels(self) -> list[list[Reduce]]:
        """The reductions in the order in which they can be computed, those of one level in one loop."""
        level: dict[int, int] = {}
        found: dict[int, Reduce] = {}

        def visit(value: Value) -> int:
            if id(value) in self.in_memory:
                return 0
            if id(value) in level:
                return level[id(value)]
            below = max((visit(child) for child in children(value)), default=0)
            if isinstance(value, Reduce):
                below += 1
                found[id(value)] = value
            level[id(value)] = below
            return below

        deepest = max((visit(item.value) for item in self.stored), default=0)
        return [[value for key, value in found.items() if level[key] == wanted] for wanted in range(1, deepest + 1)]

    def _loop_over(self, reductions: Sequence[Reduce], body: list[str], columns: str) -> None:
        after: list[str] = []
        for value in reductions:
            operand = self._operand_at(value)
            tile = self._emit(value.operand, operand, ())
            kind = f"tl.{value.dtype.compute}"
            total = self.names.take(f"{value.name or 'all'}_{value.how}")
            self.lines.add(f"{total} = tl.full([BLOCK_ROWS, BLOCK_COLS], {_IDENTITY[value.how]}, {kind})", inner=False)
            masked = f"tl.where(col_inside, {tile.text}, {_IDENTITY[value.how]})"
            self.lines.add(f"{total} = {_PUT_TOGETHER[value.how].format(total, masked)}", inner=True)
            name = self.names.take(value.name or f"row_{value.how}")
            after.append(f"{name} = tl.{value.how}({total}, axis=1)[:, None]")
            self.sums[id(value)] = (0, Held(name, frozenset(self.outer)))
        body += self._taken_outer()
        body += self._loop(self.lines.new_loop(), columns)
        body += after
        self.held = {key: held for key, held in self.held.items() if not held.axes & frozenset(self.reduced)}

    # ---- values ----

    def _store(self, item: Stored, at: tuple[Index, ...]) -> None:
        value = item.value
        place = self._place_of(value, at)
        shape = tuple(map(self.low.resolved, value.shape))
        indices = self._unravelled(place, shape)
        held = self._emit(value, indices, ())
        target = self.space.linear(indices, shape)
        axes = target.axes()
        inner = self.index.inner(axes)
        if held.axes - axes and self.reduced and self.index.inner(held.axes) and not inner:
            raise self.low.refuse("a result does not fit the rows of its kernel")
        mask, where = self._mask(axes, ()), self._spaced(target)
        if self.reduced and not axes:  # a single row
            mask, where = ", mask=row_inside", "row"
        text = f"tl.store({item.buffer}_ptr + {where}, {held.text}{mask})"
        self.lines.add(text, inner or self.index.inner(held.axes))

    def _place_of(self, value: Value, at: tuple[Index, ...]) -> Index:
        """The element's place in the stored tensor, counted through."""
        count = product(map(self.low.resolved, value.shape))
        facts = self.low.facts
        whole, rows = product(self.shape), product(self.shape[axis] for axis in self.outer)
        for size, axes in ((whole, range(len(self.shape))), (rows, self.outer)):
            if facts.of(count) == facts.of(size):
                if count != size:
                    self._assume_equal(value.shape, [self.shape[axis] for axis in axes], count, size)
                return self.space.linear([at[axis] for axis in axes], [self.shape[axis] for axis in axes])
        reduce = next(iter(_reductions(value, self.in_memory)), None)
        if reduce is None:
            raise self.low.refuse("a result does not fit the rows of its kernel")
        raise NeedsMemory(reduce)

    def _assume_equal(self, shape: Shape, other: Sequence[Size], count: Size, size: Size) -> None:
        """Two shapes of equal sizes: by name, where they are alike dimension for dimension."""
        ours = [part for part in map(self.low.resolved, shape) if part != ONE]
        theirs = [part for part in other if part != ONE]
        facts = self.low.facts
        if [facts.of(part) for part in ours] == [facts.of(part) for part in theirs]:
            for first, second in zip(theirs, ours, strict=True):
                self.low.equal(first, second)
        else:  # what stands on both sides may be anything
            facts.pin(*_without_common(count, size))

    def _unravelled(self, place: Index, shape: Shape) -> tuple[Index, ...]:
        result: list[Index] = []
        for axis, size in enumerate(shape):
            after = product(shape[axis + 1 :])
            if size == ONE:
                result.append(ZERO)
                continue
            index = self.space.quotient(place, after)
            before = [other for other in shape[:axis] if other != ONE]
            result.append(self.space.remainder(index, size) if before else index)
        return tuple(result)

    def _emit(self, value: Value, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
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
                return self._emit(operand, tuple(move(self.space, at)), conditions)
            case Reduce():
                return self._reduction(value, at)
            case Joined():
                return self._joined(value, at, conditions)
            case Rows(table=table, index=index):
                picked = self._emit(index, at[:-1], conditions)
                row = Index(((ONE, Loaded(picked.text, self.low.resolved(table.shape[0]), picked.axes)),))
                return self._emit(table, (row, at[-1]), conditions)
        raise TypeError(value)

    def _spaced(self, index: Index) -> str:
        return self.index.text(index)

    def _load(self, value: Value, tensor: str, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        place = self.space.linear(at, tuple(map(self.low.resolved, value.shape)))
        axes = place.axes()
        self._pointer(tensor, value.dtype)
        where = f"{tensor}_ptr" if not place.terms else f"{tensor}_ptr + {self._spaced(place)}"
        mask = self._mask(axes, conditions, other="0.0" if value.dtype.kind == 2 else "0")
        text = f"tl.load({where}{mask})"
        if value.dtype.narrow:
            text += f".to(tl.{value.dtype.compute})"
        return self._variable(value.name or tensor, text, axes)

    def _mask(self, axes: frozenset[int], conditions: tuple[Condition, ...], other: str = "") -> str:
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
        held = [self._emit(part, tuple(at[len(at) - len(part.shape) :]), conditions) for part in value.operands]
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

    def _operand_at(self, value: Reduce) -> tuple[Index, ...]:
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
        operand = self._operand_at(value) if self.reduced else None
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
        tile = self._emit(value.operand, operand, ())
        masked = f"tl.where(col_inside, {tile.text}, {_IDENTITY[value.how]})"
        text = f"tl.{value.how}({masked}, axis=1)[:, None]"
        held = self._variable(value.name or f"row_{value.how}", text, frozenset(self.outer))
        self.sums[id(value)] = (0, held)
        return held

    def _joined(self, value: Joined, at: tuple[Index, ...], conditions: tuple[Condition, ...]) -> Held:
        index = at[value.dim]
        axes = index.axes()
        text = self._spaced(index)
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
            pieces.append(self._emit(part, inner_at, (*conditions, *((text, axes) for text in here))))
        result = pieces[-1].text
        for piece, bound in zip(reversed(pieces[:-1]), reversed(bounds[:-1]), strict=True):
            result = f"tl.where({word} < {bound}, {piece.text}, {result})"
        return self._variable(value.name or "joined", result, axes.union(*(piece.axes for piece in pieces)))

    # ---- pointers and dtypes ----

    def _pointer(self, name: str, dtype: DType) -> None:
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
                self._pointer(known, dtype)
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


def _without_common(first: Size, second: Size) -> tuple[Size, Size]:
    """Two sizes without the names that both have: they are equal exactly where the rest is."""
    for name in first.names:
        common = Size(1, (name,))
        if (a := first.divided(common)) is not None and (b := second.divided(common)) is not None:
            first, second = a, b
    return first, second


def _unmoved(value: Value) -> Value:
    return _unmoved(value.operand) if isinstance(value, Moved) else value


def _reductions(value: Value, in_memory: Mapping[int, str]) -> list[Reduce]:
    """The reductions that a value is made of, the first to be computed first."""
    found: list[Reduce] = []
    seen: set[int] = set()

    def visit(part: Value) -> None:
        if id(part) in seen or id(part) in in_memory:
            return
        seen.add(id(part))
        for child in children(part):
            visit(child)
        if isinstance(part, Reduce):
            found.append(part)

    visit(value)
    return found


reductions_of = _reductions
_IDENTITY = {"sum": "0", "max": 'float("-inf")', "min": 'float("inf")'}
_PUT_TOGETHER = {"sum": "{} + {}", "max": "tl.maximum({}, {})", "min": "tl.minimum({}, {})"}
