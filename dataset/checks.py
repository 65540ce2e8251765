"""Whether a sample is worth keeping: it loads, runs, and gives something that depends on its inputs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from dataset.collectives import collective
from evaluator.engine.build import build
from evaluator.engine.inputs import graph_inputs, replay
from graphs.fx_source import parse
from graphs.samples import Sample, TensorMeta

SPREAD = 1.0  # the standard deviation that the metadata states
LARGEST = 1e30  # beyond it the values of an output say nothing


@dataclass(frozen=True)
class Verdict:
    """`why` is None for a sample that passes. `deterministic`: two runs on the same inputs gave the same."""

    why: str | None
    deterministic: bool = True


def check(sample: Sample) -> Verdict:
    """Build the sample from its text and run it three times; the second time on the same inputs, then on others."""
    try:
        graph = parse(sample.source)
        module = build(graph, more=collective)
        metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
        with torch.no_grad():
            inputs = replay(metas, 1, SPREAD, scalars=scalars)
            written = _versions(inputs)
            first = _tensors(module(*inputs))
            second = _tensors(module(*replay(metas, 1, SPREAD, scalars=scalars)))
    except Exception as error:
        return Verdict(f"does not run: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    deterministic = _same(first, second)
    if _versions(inputs) != written:
        return Verdict("writes into an input of whole numbers", deterministic)
    if not first:
        return Verdict("gives no tensor", deterministic)
    why = next((reason for one in first if (reason := _degenerate(one)) is not None), None)
    if why is None and deterministic and not _depends(module, metas, scalars, first):
        why = "does not depend on its inputs"
    return Verdict(why, deterministic)


def _versions(inputs: Sequence[Any]) -> list[int]:
    """Numbers that change when whole numbers are written into: in a row of calls an index would grow past its end."""
    return [one._version for one in inputs if isinstance(one, torch.Tensor) and not one.dtype.is_floating_point]


def _tensors(value: Any) -> list[torch.Tensor]:
    return [one.detach().clone() for one in tree_leaves(value) if isinstance(one, torch.Tensor)]


def _same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return len(one) == len(other) and all(
        a.shape == b.shape and torch.equal(_comparable(a), _comparable(b)) for a, b in zip(one, other, strict=True)
    )


def _comparable(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.double().nan_to_num(0.0, math.inf, -math.inf)


def _degenerate(tensor: torch.Tensor) -> str | None:
    if tensor.numel() == 0:
        return "an output is empty"
    values = _comparable(tensor)
    finite = values[torch.isfinite(values)]
    if not torch.isfinite(tensor).any():
        return "an output has no finite value"
    if finite.abs().max() > LARGEST:
        return f"an output goes beyond {LARGEST:g}"
    if tensor.numel() > 1 and bool((values == values.reshape(-1)[0]).all()):
        return "an output is the same everywhere"
    return None


def _depends(module: Any, metas: Sequence[TensorMeta], scalars: frozenset[str], first: list[torch.Tensor]) -> bool:
    """Whether other inputs give other outputs. True where the inputs can not be varied, or where others fail."""
    others = [meta if meta.name in scalars else _varied(meta) for meta in metas]
    try:
        with torch.no_grad():
            return not _same(first, _tensors(module(*replay(others, 2, SPREAD, scalars=scalars))))
    except Exception:
        return True


def _varied(meta: TensorMeta) -> TensorMeta:
    """The same kind of input with other values: content in another order, constants that vary."""
    if meta.data is not None and len(set(meta.data)) > 1:
        return replace(meta, data=(*meta.data[1:], meta.data[0]))
    whole = meta.dtype == "bool" or "int" in meta.dtype
    if whole or (meta.data is None and meta.std):
        return meta
    spread = 0.1 * abs(meta.mean or 0.0) or 0.1
    return replace(meta, data=None, std=spread, min_val=None, max_val=None)
