"""Which kernels store what: as few as can be, reductions in rows, the rest elementwise."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from assistant.drafter.kernel import KernelWriter, reductions_of
from assistant.drafter.kernel_text import KernelText, NeedsMemory, Stored
from assistant.drafter.lower import Lowering
from assistant.drafter.refusals import NoKernel
from assistant.drafter.sizes import product
from assistant.drafter.values import Reduce, Shape, Value, children

MAX_ROW = 4096  # elements of a row that one block holds; longer ones are looped over
MAX_ROW_ACROSS = 128  # the same for rows whose elements do not lie next to each other
_MOST_TOGETHER = 8

InMemory = Callable[[int], dict[int, str]]  # what kernels before that number have stored: id of the value → name


@dataclass
class _Slot:
    """A kernel in the making."""

    shape: Shape
    dims: tuple[int, ...]
    stored: list[Stored]
    text: KernelText


def plan_kernels(low: Lowering, wanted: Sequence[Stored], name: str, taken: set[str]) -> list[KernelText]:
    """Kernels in the order of launching. Raises NoKernel."""
    temporary: list[Stored] = []
    for _ in range(40):
        try:
            return _attempt(low, [*temporary, *wanted], name)
        except NeedsMemory as needed:
            if any(item.value is needed.reduce for item in temporary):
                raise NoKernel("the reductions do not fit into rows") from None
            temporary = _in_order([*temporary, Stored(needed.reduce, _free(needed.reduce.how, taken))])
    raise NoKernel("the selection needs too many kernels")


def _free(how: str, taken: set[str]) -> str:
    word = {"sum": "row_sums", "max": "row_maxima", "min": "row_minima"}[how]
    name, count = word, 1
    while name in taken:
        count += 1
        name = f"{word}_{count}"
    taken.add(name)
    return name


def _in_order(items: list[Stored]) -> list[Stored]:
    """What is used by others first."""
    return sorted(items, key=lambda item: len(reductions_of(item.value, {})))


def _attempt(low: Lowering, items: Sequence[Stored], name: str) -> list[KernelText]:
    slots: list[_Slot] = []
    place: dict[int, int] = {}  # id of a stored value → its kernel
    buffers = {id(item.value): item.buffer for item in items}

    def in_memory(before: int) -> dict[int, str]:
        return {key: buffers[key] for key, index in place.items() if index < before}

    todo = list(items)
    with_rows = [item for item in todo if isinstance(item.value, Reduce)]
    for item in [*with_rows, *[item for item in todo if item not in with_rows and _has_rows(item, with_rows)]]:
        _place_rows(low, item, slots, place, in_memory, name)
    for item in todo:
        if id(item.value) not in place:
            _place_elementwise(low, item, slots, place, in_memory, name)
    return [_named(slot.text, name, index, len(slots)) for index, slot in enumerate(slots)]


def _has_rows(item: Stored, stored: Sequence[Stored]) -> bool:
    return bool(reductions_of(item.value, {id(other.value): other.buffer for other in stored}))


def _place_rows(
    low: Lowering, item: Stored, slots: list[_Slot], place: dict[int, int], memory: InMemory, name: str
) -> None:
    value = item.value
    candidates = reductions_of(value, {key: "" for key in place if key != id(value)})
    if not candidates:
        return
    for index in range(len(slots) - 1, -1, -1):
        slot = slots[index]
        if slot.dims and _fits(value, place, index) and _added(low, slot, item, memory(index), name):
            place[id(value)] = index
            return
    for reduce in reversed(candidates):
        dims = reduce.dims
        shape = reduce.operand.shape
        try:
            text = _write(low, shape, dims, [item], memory(len(slots)), name)
        except NeedsMemory:
            continue
        place[id(value)] = len(slots)
        slots.append(_Slot(shape, dims, [item], text))
        return
    if candidates[0] is value:
        raise NoKernel("the reductions do not fit into rows")
    raise NeedsMemory(candidates[0])


def _place_elementwise(
    low: Lowering, item: Stored, slots: list[_Slot], place: dict[int, int], memory: InMemory, name: str
) -> None:
    value = item.value
    for index in range(len(slots) - 1, -1, -1):
        slot = slots[index]
        if len(slot.stored) >= _MOST_TOGETHER or not _fits(value, place, index):
            continue
        same = tuple(map(low.resolved, slot.shape)) == tuple(map(low.resolved, value.shape))
        within = any(_is_part(value, other.value) for other in slot.stored)
        if ((within or same) if not slot.dims else within) and _added(low, slot, item, memory(index), name):
            place[id(value)] = index
            return
    text = _write(low, value.shape, (), [item], memory(len(slots)), name)
    place[id(value)] = len(slots)
    slots.append(_Slot(value.shape, (), [item], text))


def _fits(value: Value, place: dict[int, int], index: int) -> bool:
    """Whether everything stored that the value is made of is there when that kernel runs."""
    if id(value) in place:
        return False
    return all(place.get(id(part), 0) <= index for part in _parts(value, place))


def _is_part(value: Value, whole: Value) -> bool:
    return any(part is value for part in _parts(whole, {}))


def _parts(value: Value, stop: Container[int]) -> list[Value]:
    """The value and all that it is made of, each once; not further than what is in `stop`."""
    found: dict[int, Value] = {}
    todo = [value]
    while todo:
        part = todo.pop()
        if id(part) not in found:
            found[id(part)] = part
            if id(part) not in stop:
                todo += children(part)
    return list(found.values())


def _added(low: Lowering, slot: _Slot, item: Stored, memory: dict[int, str], name: str) -> bool:
    """Let a kernel store one more value; False where it can not."""
    pinned = set(low.facts.pinned)
    try:
        text = _write(low, slot.shape, slot.dims, [*slot.stored, item], memory, name)
    except (NeedsMemory, NoKernel):
        low.facts.pinned = pinned
        return False
    slot.stored.append(item)
    slot.text = text
    return True


def _write(
    low: Lowering, shape: Shape, dims: Sequence[int], stored: Sequence[Stored], memory: dict[int, str], name: str
) -> KernelText:
    columns = max(low.facts.of(product(low.resolved(shape[dim]) for dim in dims)))
    across = bool(dims) and tuple(dims) != tuple(range(len(shape) - len(dims), len(shape)))
    looped = columns > (MAX_ROW_ACROSS if across else MAX_ROW)
    return KernelWriter(low, name, shape, dims, stored, memory, looped).write()


def _named(text: KernelText, name: str, index: int, count: int) -> KernelText:
    text.name = f"{name}_kernel" if count == 1 else f"{name}_kernel_{index + 1}"
    return text
