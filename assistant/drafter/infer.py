"""Shapes and dtypes of values that nobody has told, as far as they follow from the inputs."""

from collections.abc import Mapping

from assistant.drafter.lower import Learned, Lowering, Tensor
from assistant.drafter.refusals import NoKernel
from assistant.drafter.sizes import Facts, Size
from assistant.drafter.values import Value
from graphs.fx_source import FxGraph

Known = Mapping[str, Mapping[str, object]]


def inferred(graph: FxGraph, known: Known) -> Known:
    """`known` with more values in it; what follows an operator that the drafter does not know stays unknown."""
    tensors = {name: tensor_of(value) for name, value in known.items()}
    low = Lowering(Facts(), tensors, Learned())
    found: dict[str, Mapping[str, object]] = {}
    for node in graph.nodes:
        if node.op == "output":
            continue
        if node.op in ("placeholder", "get_attr") or tensors.get(node.name) is not None:
            if tensors.get(node.name) is not None:
                _add_input(low, node.name)
            continue
        try:
            low.read(node)
        except (NoKernel, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError):
            continue
        value = low.env.get(node.name)
        if isinstance(value, Value):
            shape = [low.facts.of(low.resolved(size))[0] for size in value.shape]
            found[node.name] = {"shape": shape, "dtype": value.dtype.name}
            value.shape = tuple(map(Size, shape))  # plain numbers from here on
    return {**found, **{name: value for name, value in known.items() if value.get("shape") is not None}}


def _add_input(low: Lowering, name: str) -> None:
    try:
        low.add_input(name)
    except NoKernel:
        return


def tensor_of(value: Mapping[str, object]) -> Tensor | None:
    """What is known, where it is a tensor."""
    shape, dtype = value.get("shape"), value.get("dtype")
    if not isinstance(shape, (list, tuple)) or not isinstance(dtype, str):
        return None
    return Tensor((tuple(map(int, shape)),), (dtype,))
