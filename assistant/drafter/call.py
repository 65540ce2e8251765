"""The arguments of a node by name, whichever way they were given."""

from typing import Any

from assistant.drafter.refusals import NoKernel
from graphs.fx_source import FxNode
from graphs.operators import operator_name

_IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "imatmul")


def base_name(node: FxNode) -> str:
    """The operator's name without what says that it works in place: "add" of `x.add_(1)`, `iadd` and `x + 1`."""
    name = operator_name(node)
    if node.target.startswith("operator."):
        return name[1:] if name in _IN_PLACE else name.rstrip("_")
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def writes_in_place(node: FxNode) -> bool:
    """Whether the call changes its first argument."""
    if node.op not in ("call_function", "call_method"):
        return False
    name = operator_name(node)
    if node.target.startswith("operator."):
        return name in _IN_PLACE or name == "setitem"
    if name.endswith("_") and not name.endswith("__"):
        return True
    if node.target == "torch.nn.functional.dropout" and len(node.args) > 3 and node.args[3] is True:
        return True
    return dict(node.kwargs).get("inplace") is True or _positional_inplace(node)


# Where torch.nn.functional takes `inplace` by position.
_PLACE_OF_INPLACE = {
    "relu": 1, "relu6": 1, "silu": 1, "mish": 1, "hardswish": 1, "hardsigmoid": 1, "selu": 1, "elu": 2, "leaky_relu": 2,
    "hardtanh": 3,
}  # fmt: skip


def _positional_inplace(node: FxNode) -> bool:
    place = _PLACE_OF_INPLACE.get(operator_name(node)) if ".functional." in node.target else None
    return place is not None and len(node.args) > place and node.args[place] is True


_NUMPY = {"axis": "dim", "keepdims": "keepdim"}  # torch takes NumPy's names, too


class Arguments:
    """The arguments of one call. Raises NoKernel for one that is not expected."""

    def __init__(self, node: FxNode, names: str) -> None:
        self.node = node
        order = names.split()
        if len(node.args) > len(order):
            raise NoKernel(f"`{operator_name(node)}` has more arguments than the drafter knows", node.name)
        named = {_NUMPY.get(name, name) if name not in order else name: value for name, value in node.kwargs}
        self._values: dict[str, Any] = dict(zip(order, node.args, strict=False)) | named
        odd = set(self._values) - set(order) - {"out", "self"}
        if odd or self._values.get("out") is not None:
            name = next(iter(odd), "out")
            raise NoKernel(f"`{operator_name(node)}` with `{name}=` is not known to the drafter", node.name)

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(name, default)

    def has(self, name: str) -> bool:
        return self._values.get(name) is not None
