"""What a match was found on, in the words of a verification record."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from evaluator.engine.backend.autocast import regions
from evaluator.engine.backend.examples import Unknown, example
from passnet_runtime.record import Call

UNKNOWN = "unknown"


def described_call(pass_name: str, inputs: Mapping[str, Any], nodes: Sequence[Node], source: GraphModule) -> Call:
    """The call that a match would be: arguments as `evaluator.engine.passes.Admit` has them."""
    told = {name: describe(_value(bound, source)) for name, bound in inputs.items()}
    on = regions(nodes[0].graph).get(nodes[0], ())
    under = ", ".join(f"{kind} {str(dtype).removeprefix('torch.')}" for kind, dtype in on)
    return Call(pass_name, told, under)


def describe(value: Any) -> str:
    """`float32 [4, 8]`; with `strides [1, 4]` where it has gaps or another order; symbolic sizes by their symbol."""
    if isinstance(value, torch.Tensor):
        shape = [str(size) for size in value.shape]
        text = f"{str(value.dtype).removeprefix('torch.')} [{', '.join(shape)}]"
        lies = value.layout is torch.strided
        if not lies:
            return f"{text} {value.layout}"
        if value.is_contiguous():
            return text
        return f"{text} strides [{', '.join(str(step) for step in value.stride())}]"
    if isinstance(value, (list, tuple)):
        return f"({'; '.join(map(describe, value))})"
    if value is _unknown:
        return UNKNOWN
    return repr(value)


_unknown = object()


def _value(bound: Any, source: GraphModule) -> Any:
    if isinstance(bound, Node):
        try:
            return example(bound, source)
        except (Unknown, AttributeError):
            return _unknown
    if isinstance(bound, (list, tuple)):
        return type(bound)(_value(item, source) for item in bound)
    return bound
