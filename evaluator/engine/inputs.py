"""Inputs of a graph, made from their metadata: replayed, not stored.

Exact `data` where it is given. A bool is a fair coin. Everything else is `randn · std · spread + mean` in float32
(std None: 0.1, mean None: 0), cast to the dtype (integers truncate toward zero), clipped to [min_val, max_val],
non-finite values replaced by small noise, floats limited to [−100, 100]. One generator draws all inputs in order: on
the CPU, so that a seed gives the same values on every device; or, where nobody will draw them again, on the GPU that
takes them, which costs next to nothing.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import torch

from graphs.fx_source import FxGraph, FxNode
from graphs.samples import TensorMeta
from graphs.symbols import example_value

LIMIT = 100.0  # of generated floats
NOISE = 0.01  # standard deviation of what replaces NaN and Inf
_MOST_DRAWN_ON_DEVICE = 1 << 28  # elements
_SCALARS = ("SymInt", "SymFloat", "SymBool")

Input = torch.Tensor | int | float | bool


class InputProblem(ValueError):
    """The metadata does not describe inputs that can be made."""


@dataclass(frozen=True)
class InputSet:
    """One way to draw inputs; the judge adds a seed that nobody knows before."""

    name: str  # shown in the report
    spread: float  # factor on every standard deviation


# The published replay, then the spread that the metadata states, twice.
INPUT_SETS = (InputSet("replay", 0.2), InputSet("spread 1", 1.0), InputSet("spread 1, again", 1.0))


def replay(
    inputs: Sequence[TensorMeta],
    seed: int,
    spread: float = 0.2,
    device: str = "cpu",
    *,
    scalars: Collection[str] = (),
    drawn_on: str = "cpu",
) -> list[Input]:
    """One value per meta, in order. Names in `scalars` become Python numbers (`torch.SymInt` inputs).

    An input whose metadata says "cpu" stays there when others of the same graph do not. Raises InputProblem.
    """
    generator = torch.Generator(drawn_on).manual_seed(seed)
    mixed = any(not meta.device.startswith("cpu") for meta in inputs)
    values: list[Input] = []
    for meta in inputs:
        if meta.name in scalars:
            values.append(_scalar(meta))
            continue
        stays = mixed and meta.device.startswith("cpu")
        values.append(_tensor(meta, spread, generator).to("cpu" if stays else device))
    return values


def quick_to_draw_on(inputs: Sequence[TensorMeta], device: str) -> str:
    """Where inputs of `device` that need not be drawn again are drawn: there, or on the host if they are large.

    Drawing takes several times the memory of what is drawn.
    """
    elements = sum(math.prod(meta.shape) for meta in inputs)
    return device if torch.device(device).type == "cuda" and elements <= _MOST_DRAWN_ON_DEVICE else "cpu"


def graph_inputs(
    graph: FxGraph, metas: Sequence[TensorMeta], constraints: str | None = None
) -> tuple[list[TensorMeta], frozenset[str]]:
    """The metas in the order of the graph's inputs, and the names of those that are Python numbers.

    An input with a default needs no meta and is left out; a SymInt without one has the example value that
    `constraints` (input_tensor_constraints.py) gives it. Raises InputProblem for one that is not described.
    """
    by_name = {meta.name: meta for meta in metas}
    by_name |= _from_constraints([node for node in graph.inputs if _unknown(node, by_name)], constraints)
    ordered, scalars = [], set()
    for node in graph.inputs:
        meta = by_name.get(node.target) or by_name.get(node.name)
        if meta is None:
            if node.args:
                continue
            raise InputProblem(_not_described(node))
        ordered.append(meta)
        if _kind(node) in _SCALARS:
            scalars.add(meta.name)
    return ordered, frozenset(scalars)


def _unknown(node: FxNode, by_name: Mapping[str, TensorMeta]) -> bool:
    return node.target not in by_name and node.name not in by_name and not node.args and _kind(node) == "SymInt"


def _kind(node: FxNode) -> str:
    return (node.annotation or "").rpartition(".")[2]


def _from_constraints(nodes: Sequence[FxNode], constraints: str | None) -> dict[str, TensorMeta]:
    """What the example values of dynamic sizes say about these SymInt inputs, by the inputs' names."""
    if not nodes or constraints is None:
        return {}
    found = {node.target: example_value(constraints, node.target, only=len(nodes) == 1) for node in nodes}
    return {name: TensorMeta(name, (), "int64", data=(value,)) for name, value in found.items() if value is not None}


def _not_described(node: FxNode) -> str:
    known = f"input {node.target!r} of the graph is not described"
    if _kind(node) == "SymInt":
        return (
            f"{known}: give its value in weight_meta.py (a class with its name, shape = [], dtype = torch.int64, "
            "data = [5]) or as an example value in input_tensor_constraints.py ({S0: 5})"
        )
    return f"{known}: it needs a class with its name, shape and dtype in weight_meta.py"


def dtype_of(name: str) -> torch.dtype:
    """`float32` → torch.float32. Raises InputProblem for a word that is no dtype of this torch."""
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise InputProblem(f"{name!r} is not a dtype of torch {torch.__version__}")
    return dtype


def _tensor(meta: TensorMeta, spread: float, generator: torch.Generator) -> torch.Tensor:
    dtype = dtype_of(meta.dtype)
    if any(size < 0 for size in meta.shape):
        raise InputProblem(f"{meta.name!r} has a negative size in its shape {list(meta.shape)}")
    if meta.data is not None:
        if len(meta.data) != math.prod(meta.shape):
            raise InputProblem(f"{meta.name!r} has {len(meta.data)} values for the shape {list(meta.shape)}")
        return torch.tensor(meta.data, dtype=dtype).reshape(meta.shape)
    if dtype is torch.bool:
        return torch.randint(0, 2, meta.shape, generator=generator, device=generator.device).to(torch.bool)
    if dtype.is_complex:
        real, imaginary = (_floats(meta, torch.float32, spread, generator) for _ in range(2))
        return torch.complex(real, imaginary).to(dtype)
    if dtype.is_floating_point:
        return _floats(meta, dtype, spread, generator)
    return _integers(meta, dtype, spread, generator)


def _normal(meta: TensorMeta, spread: float, generator: torch.Generator) -> torch.Tensor:
    std = 0.1 if meta.std is None else meta.std
    mean = 0.0 if meta.mean is None else meta.mean
    return torch.randn(meta.shape, generator=generator, device=generator.device) * (std * spread) + mean


def _floats(meta: TensorMeta, dtype: torch.dtype, spread: float, generator: torch.Generator) -> torch.Tensor:
    values = _normal(meta, spread, generator).to(dtype)
    work = values if dtype.itemsize > 1 else values.float()  # float8 has no comparisons
    most = torch.finfo(work.dtype).max
    low, high = _bounds(meta, -most, most)
    if low is not None or high is not None:
        work = work.clamp(low, high)
    odd = ~torch.isfinite(work)
    if bool(odd.any()):
        noise = (torch.randn(meta.shape, generator=generator, device=generator.device) * NOISE).to(work.dtype)
        work = torch.where(odd, noise, work)
    return work.clamp(-LIMIT, LIMIT).to(dtype)


def _integers(meta: TensorMeta, dtype: torch.dtype, spread: float, generator: torch.Generator) -> torch.Tensor:
    # The range of the dtype first: a float beyond it has no defined integer.
    info = torch.iinfo(dtype)
    largest = float(info.max) if info.bits < 64 else float(2**63 - 1024)
    values = _normal(meta, spread, generator).double().nan_to_num(0.0, largest, float(info.min))
    whole = values.clamp(float(info.min), largest).to(torch.int64)
    low, high = _bounds(meta, float(info.min), largest)
    if low is not None or high is not None:
        whole = whole.clamp(None if low is None else math.ceil(low), None if high is None else math.floor(high))
    return whole.to(dtype)


def _bounds(meta: TensorMeta, least: float, most: float) -> tuple[float | None, float | None]:
    """min_val and max_val as far as they restrict values between `least` and `most`."""
    low, high = meta.min_val, meta.max_val
    return (
        None if low is None or math.isnan(low) or low <= least else min(float(low), most),
        None if high is None or math.isnan(high) or high >= most else max(float(high), least),
    )


def _scalar(meta: TensorMeta) -> int | float | bool:
    """A number that shapes depend on: exactly what the metadata says, and 1 where it says nothing."""
    known = [*(meta.data or ())[:1], meta.min_val if meta.min_val == meta.max_val else None, meta.mean]
    value = next((value for value in known if value is not None), 1)
    dtype = dtype_of(meta.dtype)
    if dtype is torch.bool:
        return bool(value)
    return float(value) if dtype.is_floating_point else int(value)
