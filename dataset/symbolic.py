"""Which sizes of a sample are symbols: they can change, in its inputs and in its code together, and it still runs.

A candidate is one size of the inputs: all dimensions that have it, and the same number where the code states sizes (the
arguments of `view`, the bounds of a slice). What a symbol may become is tried with tensors that hold no values.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import torch
from torch._subclasses import FakeTensorMode
from torch.fx import Graph, GraphModule, Node

from dataset.fx_samples import source_of
from evaluator.engine.build import build
from evaluator.engine.inputs import dtype_of, graph_inputs
from graphs.fx_source import parse
from graphs.samples import Sample, TensorMeta, hash_source

BATCH = 1  # the size 1 is a symbol only as the first dimension: elsewhere it says that a dimension is broadcast
FACTORS = tuple(map(Fraction, ("2", "1/2", "4", "3/2", "8", "1/4", "3")))
MAX_ELEMENTS = 1 << 24  # of one input
# Where operators state sizes, counted after the tensor that they work on; None: all arguments
_SIZES_AT: dict[str, int | None] = {
    **dict.fromkeys(("view", "reshape", "expand", "broadcast_to", "zeros", "ones", "empty", "rand", "randn"), None),
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty", "arange"), None),
    **dict.fromkeys(("layer_norm", "rms_norm", "native_layer_norm", "full", "new_full"), 0),
    **dict.fromkeys(("split", "split_with_sizes"), 0),
    "unflatten": 1,
}


@dataclass(frozen=True)
class Symbol:
    """A size that can change. `step`: 1 any size, otherwise multiples of it."""

    size: int
    step: int


Sizes = Mapping[int, int]  # old size → new size


def symbols(sample: Sample) -> list[Symbol]:
    """The symbols of a sample, by size."""
    found = []
    for size in _candidates(sample):
        for step in (1, size):
            if _runs(resized(sample, {size: size + step})):
                found.append(Symbol(size, step))
                break
    return found


def assignments(found: Sequence[Symbol]) -> Iterator[dict[int, int]]:
    """New sizes worth trying, the likeliest first: by each factor one symbol alone, then all together."""
    seen: list[dict[int, int]] = []
    for factor in FACTORS:
        single = [(symbol,) for symbol in found]
        for group in [*single, *([tuple(found)] if len(found) > 1 else [])]:
            sizes = {symbol.size: size for symbol in group if (size := _scaled(symbol, factor)) is not None}
            if len(sizes) == len(group) and sizes not in seen:
                seen.append(sizes)
                yield sizes


def shape_variants(sample: Sample, count: int) -> list[tuple[Sample, dict[int, int]]]:
    """The sample itself and up to `count` − 1 others with new sizes, which run on tensors without values."""
    found = symbols(sample)
    variants: list[tuple[Sample, dict[int, int]]] = [(sample, {})]
    for sizes in assignments(found):
        if len(variants) >= count:
            break
        variant = resized(sample, sizes)
        if _fits(variant) and _runs(variant):
            variants.append((variant, sizes))
    return [(with_constraints(one, sample, found, sizes), sizes) for one, sizes in variants]


def resized(sample: Sample, sizes: Sizes) -> Sample:
    """The sample with other sizes, in its inputs and in the code. Exact content is repeated or cut off."""
    source = _resized_source(sample.source, sizes)
    return replace(
        sample,
        source=source,
        content_hash=hash_source(source),
        stored_hash=None,
        inputs=tuple(_resized_meta(meta, sizes) for meta in sample.inputs),
        model_inputs=tuple(_resized_meta(meta, sizes) for meta in sample.model_inputs),
    )


def with_constraints(sample: Sample, original: Sample, found: Sequence[Symbol], sizes: Sizes) -> Sample:
    """The variant with its input_tensor_constraints.py, in the published form. Unchanged where nothing is a symbol."""
    if not found:
        return sample
    names = {symbol.size: f"S{place}" for place, symbol in enumerate(found)}  # by the original size
    values = ", ".join(f"{name}: {sizes.get(size, size)}" for size, name in names.items())
    lines = ["from sympy import Symbol", "", *(f'{name} = Symbol("{name}")' for name in names.values()), ""]
    lines.append(f"dynamic_dim_constraint_symbols = [{', '.join(names.values())}]")
    lines.append(f"dynamic_dim_constraint_symbol2example_value = {{{values}}}")
    lines += ["dynamic_dim_constraint_relations = []", "dynamic_dim_constraint_input_shapes = ["]
    for meta in (*original.inputs, *original.model_inputs):
        shape = [names.get(size, str(size)) if _varies(at, size) else str(size) for at, size in enumerate(meta.shape)]
        lines.append(f'    ([{", ".join(shape)}], "{meta.name}"),')
    return replace(sample, constraints="\n".join([*lines, "]", ""]))


def _candidates(sample: Sample) -> list[int]:
    shapes = [meta.shape for meta in (*sample.inputs, *sample.model_inputs)]
    return sorted({size for shape in shapes for place, size in enumerate(shape) if _varies(place, size)})


def _varies(place: int, size: int) -> bool:
    return size > BATCH or (size == BATCH and place == 0)


def _scaled(symbol: Symbol, factor: Fraction) -> int | None:
    size = symbol.size * factor
    whole = int(size)
    if size != whole or whole < 1 or whole % symbol.step or (whole == BATCH and symbol.size != BATCH):
        return None
    return whole


def _fits(sample: Sample) -> bool:
    return all(torch.Size(meta.shape).numel() <= MAX_ELEMENTS for meta in (*sample.inputs, *sample.model_inputs))


def _runs(sample: Sample) -> bool:
    try:
        graph = parse(sample.source)
        module = build(graph)
        metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
        if scalars:
            return False  # sizes that are inputs of their own
        with FakeTensorMode(), torch.no_grad():
            module(*(torch.empty(meta.shape, dtype=dtype_of(meta.dtype)) for meta in metas))
    except Exception:
        return False
    return True


def _resized_source(source: str, sizes: Sizes) -> str:
    """The same text where no size of it changes."""
    module = build(parse(source))
    changed = False
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in module.graph.nodes:
        copy = copies[node] = graph.node_copy(node, lambda one: copies[one])
        copy.name, before = node.name, copy.args
        copy.args = _resized_args(copy, sizes)
        changed = changed or copy.args != before
    return source_of(GraphModule(module, graph).graph) if changed else source


def _resized_args(node: Node, sizes: Sizes) -> tuple[Any, ...]:
    """The arguments with the sizes among them exchanged. The size 1 changes only where it is the first of several."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    name = name.split(".")[0]
    head = node.args[:1] if node.args and isinstance(node.args[0], Node) else ()
    rest = node.args[len(head) :]
    if name == "getitem":
        return (*head, *(_resized_slices(value, sizes) for value in rest))
    if name not in _SIZES_AT:
        return node.args
    at = _SIZES_AT[name]
    if at is not None:
        return (*head, *(_resized_size(value, sizes) if place == at else value for place, value in enumerate(rest)))
    if len(rest) == 1:
        return (*head, _resized_size(rest[0], sizes))
    return (*head, *_resized_size(rest, sizes))


def _resized_size(value: Any, sizes: Sizes, first: bool = False) -> Any:
    match value:
        case int() if not isinstance(value, bool):
            return sizes.get(value, value) if value != BATCH or first else value
        case tuple() | list():
            several = len(value) > 1
            return type(value)(_resized_size(one, sizes, several and place == 0) for place, one in enumerate(value))
    return value


def _resized_slices(value: Any, sizes: Sizes) -> Any:
    match value:
        case slice():
            return slice(_resized_size(value.start, sizes), _resized_size(value.stop, sizes), value.step)
        case tuple() | list():
            return type(value)(_resized_slices(one, sizes) for one in value)
    return value


def _resized_meta(meta: TensorMeta, sizes: Sizes) -> TensorMeta:
    shape = tuple(sizes.get(size, size) if _varies(place, size) else size for place, size in enumerate(meta.shape))
    if shape == meta.shape or meta.data is None:
        return replace(meta, shape=shape)
    count = torch.Size(shape).numel()
    return replace(meta, shape=shape, data=tuple(itertools.islice(itertools.cycle(meta.data), count)))
