"""What a graph must do at the least: bytes that have to be touched once, and operations where they are known.

The floor of Williams, Waterman and Patterson's roofline (CACM 52(4), 2009) needs both. Intermediates cost nothing here:
a perfect fused kernel keeps them in registers. An embedding or a slice does not read its whole input.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule, Interpreter, Node
from torch.utils.flop_counter import FlopCounterMode

#: Methods and functions whose result is a window on their input: only what later nodes read through it is touched.
VIEWS = frozenset(
    ("view", "reshape", "permute", "transpose", "t", "unsqueeze", "squeeze", "expand", "flatten", "unflatten",
     "narrow", "select", "slice", "contiguous", "detach", "split", "chunk", "unbind", "getitem", "view_as",
     "expand_as", "swapaxes", "movedim", "T")
)  # fmt: skip
#: One element of the result needs one element of each input: no more of it is touched than of the result.
ONE_TO_ONE = frozenset(
    ("roll", "flip", "clone", "to", "type", "float", "half", "bfloat16", "double", "dropout", "where", "masked_fill",
     "add", "iadd", "sub", "isub", "mul", "imul", "truediv", "itruediv", "div", "neg", "pow", "rsqrt", "sqrt", "exp",
     "tanh", "sigmoid", "relu", "gelu", "silu", "hardswish", "hardsigmoid", "clamp", "maximum", "minimum", "log",
     "abs", "sin", "cos", "eq", "ne", "lt", "le", "gt", "ge", "logical_not", "and_", "or_", "invert")
)  # fmt: skip
#: Look-ups that read as many elements of their table as they return.
LOOKUPS = frozenset(("embedding", "index_select", "gather", "take", "take_along_dim"))


@dataclass(frozen=True)
class Traffic:
    """Lower bounds for one call of a graph, in bytes and operations."""

    bytes_read: int
    bytes_written: int
    matmul_operations: int  # multiply-adds count twice, as usual
    other_operations: int  # one for each element of each intermediate and output

    @property
    def bytes(self) -> int:
        return self.bytes_read + self.bytes_written


def traffic(module: GraphModule, inputs: Sequence[Any]) -> Traffic:
    """Bytes and operations of `module` on inputs of these shapes and dtypes; nothing is computed (fake tensors)."""
    values = _fake_values(module, inputs)
    needed = _demand(module, values)
    read = sum(
        needed[node] * values[node].element_size()
        for node in module.graph.nodes
        if node.op == "placeholder" and isinstance(values.get(node), torch.Tensor) and node.users
    )
    outputs = {
        node
        for node in module.graph.output_node().all_input_nodes
        if isinstance(values.get(node), torch.Tensor) and not _is_window_on_input(node)
    }
    written = sum(values[node].numel() * values[node].element_size() for node in outputs)
    other = sum(
        values[node].numel()
        for node in module.graph.nodes
        if node.op.startswith("call_") and _name(node) not in VIEWS and isinstance(values.get(node), torch.Tensor)
    )
    return Traffic(read, written, _matmul_operations(module, inputs), other)


class _Recorder(Interpreter):
    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.values: dict[Node, Any] = {}

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        self.values[n] = value
        return value


def _fake_values(module: GraphModule, inputs: Sequence[Any]) -> dict[Node, Any]:
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fakes = [mode.from_tensor(value) if isinstance(value, torch.Tensor) else value for value in inputs]
    recorder = _Recorder(module)
    with mode:
        recorder.run(*fakes)
    return recorder.values


def _matmul_operations(module: GraphModule, inputs: Sequence[Any]) -> int:
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fakes = [mode.from_tensor(value) if isinstance(value, torch.Tensor) else value for value in inputs]
    with mode, FlopCounterMode(display=False) as counter:
        module(*fakes)
    return int(counter.get_total_flops())


def _name(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


def _demand(module: GraphModule, values: dict[Node, Any]) -> dict[Node, int]:
    """Elements of each node's value that the outputs need, at most what its storage holds; last node first."""
    needed: dict[Node, int] = {}
    for node in reversed(module.graph.nodes):
        value = values.get(node)
        asked = sum(_read_by(user, node, values, needed) for user in node.users)
        if isinstance(value, torch.Tensor):
            whole = min(value.numel(), value.untyped_storage().nbytes() // max(1, value.element_size()))
            asked = min(whole, asked)
        needed[node] = asked
    return needed


def _read_by(user: Node, node: Node, values: dict[Node, Any], needed: dict[Node, int]) -> int:
    name, source, result = _name(user).rstrip("_") or "_", values.get(node), values.get(user)
    whole = source.numel() if isinstance(source, torch.Tensor) else needed.get(user, 0)
    if user.op == "output" or not isinstance(source, torch.Tensor):
        return whole
    looked_up = name in LOOKUPS and _is_table(user, node, name)
    indexed = name == "getitem" and _indexes_with_tensor(user) and user.args[0] is node
    if (looked_up or indexed) and isinstance(result, torch.Tensor):
        return min(whole, result.numel())
    if name in ONE_TO_ONE or (name in VIEWS and user.args and user.args[0] is node):
        return min(whole, needed[user])
    return whole


def _is_table(user: Node, node: Node, name: str) -> bool:
    # torch.nn.functional.embedding(input, weight), torch.embedding(weight, indices), others take the table first.
    if name == "embedding" and user.target is torch.nn.functional.embedding:
        return (user.args[1] if len(user.args) > 1 else user.kwargs.get("weight")) is node
    return bool(user.args) and user.args[0] is node


def _indexes_with_tensor(user: Node) -> bool:
    index = user.args[1] if len(user.args) > 1 else None
    parts = index if isinstance(index, (tuple, list)) else (index,)
    return any(isinstance(part, Node) for part in parts)


def _is_window_on_input(node: Node) -> bool:
    """An output that is an input, or a view of one, costs no write."""
    while node.op != "placeholder":
        if _name(node) not in VIEWS or _name(node) == "contiguous" or _indexes_with_tensor(node) or not node.args:
            return False
        source = node.args[0]
        if not isinstance(source, Node):
            return False
        node = source
    return True
