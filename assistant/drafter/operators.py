"""Every operator that a kernel is drafted for."""

from typing import Any

from assistant.drafter.call import base_name
from assistant.drafter.lower import Lowering
from assistant.drafter.pointwise import lower_pointwise
from assistant.drafter.reductions import lower_reduction
from assistant.drafter.refusals import NoKernel
from assistant.drafter.views import lower_view
from graphs.fx_source import FxNode, Ref
from graphs.operators import operator_label


def lower_node(low: Lowering, node: FxNode) -> Any:
    """What a node computes: a Value, a tuple of them, or a size. Raises NoKernel."""
    name = base_name(node)
    if node.target.startswith("torch.ops."):
        raise NoKernel(f"`{node.target}` is not drafted", node.name)
    if _is_mixed(node, low):
        raise NoKernel(f"`{operator_label(node)}` computes with sizes", node.name)
    for lower in (lower_view, lower_reduction, lower_pointwise):
        value = lower(low, node, name)
        if value is not None:
            return value
    raise NoKernel(f"`{operator_label(node)}` is not of a kind that a kernel is drafted for", node.name)


def _is_mixed(node: FxNode, low: Lowering) -> bool:
    """Arithmetic on sizes, as `x.shape[0] * 2`."""
    return (
        node.target.startswith("operator.")
        and node.target != "operator.getitem"
        and any(isinstance(arg, Ref) and not hasattr(low.env.get(arg.name), "dtype") for arg in node.args)
    )
