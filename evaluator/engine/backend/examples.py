"""What a value of a captured graph looks like, without computing it."""

from operator import attrgetter
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_aggregate

CONTAINERS = (list, tuple, torch.Size)  # named tuples would lose their names
_KEY = "example_value"  # where Dynamo keeps it


class Unknown(Exception):
    """A value's type can not be said, or is none that an operator takes."""


def example(node: Node, module: GraphModule) -> Any:
    """The value that Dynamo noted for a node: a tensor without memory, a number that may be symbolic.

    Nodes that `replacement_args` put in are worked out from it. Raises Unknown.
    """
    if _KEY in node.meta:
        return node.meta[_KEY]
    if node.op == "get_attr":
        return attrgetter(str(node.target))(module)
    if node.op not in ("call_function", "call_method"):
        raise Unknown(f"the value of `{node.name}` is not known")
    args = map_aggregate(node.args, lambda value: example(value, module) if isinstance(value, Node) else value)
    kwargs = map_aggregate(node.kwargs, lambda value: example(value, module) if isinstance(value, Node) else value)
    fake = next((value for value in args if isinstance(value, torch._subclasses.FakeTensor)), None)  # type: ignore[union-attr]
    try:
        if fake is None:
            found = _call(node, args, kwargs)
        else:
            with fake.fake_mode:
                found = _call(node, args, kwargs)
    except Exception as problem:
        raise Unknown(f"the value of `{node.name}` can not be worked out: {problem}") from problem
    node.meta[_KEY] = found
    return found


def schema_type(value: Any, *, written: bool) -> str:
    """A value's type in the words of an operator's schema; `written` marks a tensor that may be changed.

    Raises Unknown.
    """
    if isinstance(value, torch.Tensor):
        return "Tensor(!)" if written else "Tensor"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, torch.SymInt)):
        return "SymInt"
    if isinstance(value, (float, torch.SymFloat)):
        return "float"
    if type(value) in CONTAINERS and value:
        kinds = {schema_type(item, written=False) for item in value}
        if kinds in ({"Tensor"}, {"SymInt"}) and not written:
            return f"{kinds.pop()}[]"
    raise Unknown(f"a {type(value).__name__} can not be handed to an operator")


def _call(node: Node, args: Any, kwargs: Any) -> Any:
    if node.op == "call_method":
        return getattr(args[0], str(node.target))(*args[1:], **kwargs)
    assert callable(node.target)
    return node.target(*args, **kwargs)
