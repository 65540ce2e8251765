"""One Triton kernel: values to be stored, written out line by line."""

from collections.abc import Mapping, Sequence

from assistant.drafter.emitting import IDENTITY, PUT_TOGETHER, Emitter, Held
from assistant.drafter.kernel_text import KernelText, NeedsMemory, Stored
from assistant.drafter.sizes import ONE, ZERO, Index, Size, product
from assistant.drafter.values import Reduce, Shape, Value, children


class KernelWriter(Emitter):
    """Writes one kernel."""

    def write(self) -> KernelText:
        for item in self.stored:
            self.pointer(item.buffer, item.value.dtype)
        at = self.canonical
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
            operand = self.operand_at(value)
            tile = self.emit(value.operand, operand, ())
            kind = f"tl.{value.dtype.compute}"
            total = self.names.take(f"{value.name or 'all'}_{value.how}")
            self.lines.add(f"{total} = tl.full([BLOCK_ROWS, BLOCK_COLS], {IDENTITY[value.how]}, {kind})", inner=False)
            masked = f"tl.where(col_inside, {tile.text}, {IDENTITY[value.how]})"
            self.lines.add(f"{total} = {PUT_TOGETHER[value.how].format(total, masked)}", inner=True)
            name = self.names.take(value.name or f"row_{value.how}")
            after.append(f"{name} = tl.{value.how}({total}, axis=1)[:, None]")
            self.sums[id(value)] = (0, Held(name, frozenset(self.outer)))
        body += self._taken_outer()
        body += self._loop(self.lines.new_loop(), columns)
        body += after
        self.held = {key: held for key, held in self.held.items() if not held.axes & frozenset(self.reduced)}

    def _store(self, item: Stored, at: tuple[Index, ...]) -> None:
        value = item.value
        place = self._place_of(value, at)
        shape = tuple(map(self.low.resolved, value.shape))
        indices = self._unravelled(place, shape)
        held = self.emit(value, indices, ())
        target = self.space.linear(indices, shape)
        axes = target.axes()
        inner = self.index.inner(axes)
        if held.axes - axes and self.reduced and self.index.inner(held.axes) and not inner:
            raise self.low.refuse("a result does not fit the rows of its kernel")
        mask, where = self.mask(axes, ()), self.spaced(target)
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
        reduce = next(iter(reductions_of(value, self.in_memory)), None)
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


def _without_common(first: Size, second: Size) -> tuple[Size, Size]:
    """Two sizes without the names that both have: they are equal exactly where the rest is."""
    for name in first.names:
        common = Size(1, (name,))
        if (a := first.divided(common)) is not None and (b := second.divided(common)) is not None:
            first, second = a, b
    return first, second


def reductions_of(value: Value, in_memory: Mapping[int, str]) -> list[Reduce]:
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
