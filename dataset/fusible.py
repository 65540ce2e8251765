"""Ranges of operators that fuse into fewer kernels, and ranges that could: found by two criteria.

The published one: ranges over which the number of kernels of the compiled prefix does not grow. Our own: ranges of
pointwise operators, views and reductions for which Inductor nevertheless launches more than one kernel.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from dataset import kernel_counts, prefixes
from dataset.folding import Range
from dataset.fx_samples import NotASample, source_of
from dataset.inductor_kernels import Input, Kernels, NotLowered, count_kernels
from dataset.subgraphs import STATEFUL, Extract, Values, extract

NO_GROWTH = "kernels do not grow"
SEVERAL = "several kernels"
WINDOW = 64  # operators of a prefix


@dataclass(frozen=True)
class Fusible:
    """Ranges in order, each with what `graph_net.json` says of it, and how many of the operators were looked at."""

    ranges: list[tuple[Range, dict[str, Any]]]
    looked_at: int


class Counter:
    """Counts the kernels of ranges of one graph; ranges with the same text and inputs are counted once.

    Past `deadline` (of time.monotonic) nothing is counted any more: `ends` are the ends of ranges that had to be left.
    """

    def __init__(self, nodes: Sequence[Node], values: Values, device: str, deadline: float = math.inf) -> None:
        self._nodes, self._values, self._device, self._deadline = nodes, values, device, deadline
        self.ends: set[int] = set()

    def alone(self, start: int, end: int) -> Kernels | None:
        """The kernels of a range as a sample: with contiguous inputs. None: it can not stand alone."""
        return self._count(start, end, contiguous=True)

    def within(self, start: int, end: int) -> Kernels | None:
        """The kernels of a range with inputs laid out as they are in the graph."""
        return self._count(start, end, contiguous=False)

    def _count(self, start: int, end: int, *, contiguous: bool) -> Kernels | None:
        try:
            found = extract(self._nodes[start:end], self._values)
        except NotASample:
            return None
        inputs = inputs_of(found, self._values, contiguous=contiguous)
        key = kernel_counts.key_of(source_of(found.graph), inputs, self._device)
        if not kernel_counts.is_known(key):
            if time.monotonic() > self._deadline:
                self.ends.add(end)
                return None
            try:
                kernel_counts.note(key, count_kernels(found.graph, inputs, self._device))
            except NotLowered:
                kernel_counts.note(key, None)
        return kernel_counts.recall(key)


def fusible_ranges(
    nodes: Sequence[Node],
    values: Values,
    *,
    window: int = WINDOW,
    device: str = "cpu",
    seconds: float = math.inf,
) -> Fusible:
    """Ranges of at least two operators that compute tensors.

    `fusible_by` names the criteria that found one, `kernels` counts the kernels of the range alone. After `seconds`
    the rest of the graph is left: a range that may go on there is none.
    """
    counter = Counter(nodes, values, device, time.monotonic() + seconds)
    marks: dict[Range, list[str]] = {}

    def prefix(start: int, end: int) -> int | None:
        found = counter.within(start, end)
        return None if found is None else found.total

    for one in prefixes.windowed_ranges(len(nodes), prefix, window):
        if one[1] + 1 not in counter.ends:
            _mark(marks, _trimmed(one, nodes, values), NO_GROWTH)
    looked_at = min(counter.ends, default=len(nodes) + 1) - 1
    light = [_is_light(position, node, values, counter) for position, node in enumerate(nodes)]
    for start, end in prefixes.runs_of(light):
        if end + 1 in counter.ends:
            continue
        step = window or end - start
        for piece in range(start, end, step):
            one = _trimmed((piece, min(piece + step, end)), nodes, values)
            if one[0] == one[1]:
                continue  # nothing but sizes and parts of tuples
            alone = counter.alone(*one)
            if alone is not None and alone.total > 1:
                _mark(marks, one, SEVERAL)
    found = []
    for one, criteria in sorted(marks.items()):
        alone = counter.alone(*one)
        kernels = None if alone is None else {"inductor": alone.total, "generated": alone.generated}
        facts = {"fusible_by": criteria, "kernels": kernels, "kernels_counted_for": device, "torch": torch.__version__}
        found.append((one, facts))
    return Fusible(found, looked_at)


def _mark(marks: dict[Range, list[str]], one: Range, criterion: str) -> None:
    if one[1] - one[0] > 1:
        marks.setdefault(one, []).append(criterion)


def _trimmed(one: Range, nodes: Sequence[Node], values: Values) -> Range:
    """Without operators at both ends that give numbers (sizes, dtypes), nor parts of a tuple from before the range."""
    start, end = one
    while start < end and (nodes[start] in values.constants or _takes_tuple(nodes[start], values)):
        start += 1
    while start < end and nodes[end - 1] in values.constants:
        end -= 1
    return start, end


def _is_light(position: int, node: Node, values: Values, counter: Counter) -> bool:
    """Whether Inductor makes loops of it: pointwise, reduction, or nothing at all. Numbers and tuples do not matter."""
    if getattr(node.target, "__name__", "") in STATEFUL:
        return False
    if node in values.constants or _takes_tuple(node, values):
        return True
    alone = counter.within(position, position + 1)
    return alone is not None and alone.light


def _takes_tuple(node: Node, values: Values) -> bool:
    return any(argument in values.parts for argument in node.all_input_nodes)


def inputs_of(found: Extract, values: Values, *, contiguous: bool = False) -> list[Input]:
    inputs = []
    for node in found.outside:
        meta = values.metas[node]
        stride = _contiguous(meta.shape) if contiguous else values.strides[node]
        inputs.append(Input(meta.shape, stride, getattr(torch, meta.dtype)))
    return inputs


def _contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
