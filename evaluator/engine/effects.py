"""What a node does to memory: what it reads, changes and shares, and whether it may be dropped when unused.

Errs on the side of "may": a view that is sometimes a copy (`reshape`, `to`, `contiguous`) counts as a view.
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch.fx import Node

from evaluator.engine.normalise import Bound, bind_concrete, operator_of
from evaluator.engine.signatures import BINARY_OPERATORS, IN_PLACE_OPERATORS, Operator, signatures


@dataclass(frozen=True)
class Effects:
    """`reads` and `writes`: nodes whose memory is read or changed. `shares`: nodes whose memory the result may be in.

    `barrier`: changes how everything after it runs (autocast, grad mode). `pure`: may go when nobody uses its result.
    """

    reads: tuple[Node, ...] = ()
    writes: tuple[Node, ...] = ()
    shares: tuple[Node, ...] = ()
    barrier: bool = False
    pure: bool = True


# Read from a tensor's header, never from its memory.
_HEADER = frozenset({
    "shape", "dtype", "device", "layout", "ndim", "requires_grad", "is_cuda", "itemsize", "nbytes",
    "size", "dim", "stride", "numel", "ndimension", "element_size", "storage_offset", "is_contiguous",
    "is_floating_point", "is_complex", "nelement",
})  # fmt: skip
# Return their input itself when they have nothing to do; their schemas do not say so.
_DROPOUTS = frozenset({
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout", "feature_alpha_dropout",
})  # fmt: skip
_STATISTICS = frozenset({"batch_norm", "instance_norm", "native_batch_norm"})
_BARRIERS = frozenset({
    "_enter_autocast", "_exit_autocast", "_set_grad_enabled", "set_grad_enabled", "manual_seed", "_saved_tensors_hooks",
})  # fmt: skip
_PURE_MODULES = ("torch.nn.functional", "torch.functional", "torch._C._", "torch._VF", "math", "_operator", "builtins")


def effects(node: Node) -> Effects:
    """What a node does to memory."""
    if node.op == "output":
        return Effects(reads=tuple(node.all_input_nodes), pure=False)
    if node.op in ("placeholder", "get_attr"):
        return Effects(pure=node.op == "get_attr")
    if "leaf_writes" in node.meta:  # a launcher: what its pattern changed and shared, it may change and share
        writes = node.meta["leaf_writes"]
        return Effects(tuple(node.all_input_nodes), writes, node.meta["leaf_shares"], pure=not writes)
    op = operator_of(node)
    if op is None or op.name in _HEADER:
        return Effects()
    reads = tuple(node.all_input_nodes)
    if op.name in _BARRIERS or op.kind == "module":
        return Effects(reads, barrier=op.kind != "module", pure=False)
    if op.target in BINARY_OPERATORS and node.target is op.target:  # most nodes; not worth binding arguments
        return Effects(reads)
    call = _Call(node, op, bind_concrete(node))
    writes = tuple(dict.fromkeys(call.written()))
    shares = tuple(dict.fromkeys((*writes, *call.shared())))
    return Effects(reads, writes, shares, pure=not writes and _is_known(op))


@dataclass(frozen=True)
class _Call:
    node: Node
    op: Operator
    bound: Bound | None

    def written(self) -> Iterator[Node]:
        node, name = self.node, self.op.name
        if _is_in_place(node, self.op):
            yield from _nodes(node.args[:1])
        if node.kwargs.get("out") is not None:
            yield from _nodes(node.kwargs["out"])
        if name == "embedding" and self.given("max_norm") is not None:
            yield from _nodes(self.given("weight"))
        elif name in _STATISTICS and self.given("training", "use_input_stats") is not False:
            yield from _nodes((self.given("running_mean"), self.given("running_var")))
        elif self.given("inplace") not in (None, False):
            yield from _nodes(node.args[:1])
        elif isinstance(self.op.target, torch._ops.OpOverload):
            yield from self.where("written")

    def shared(self) -> Iterator[Node]:
        node = self.node
        if self.op.kind == "attribute":
            # values, indices and the like of a named tuple are in the tuple's memory
            yield from _nodes(node.args[0])
        elif self.op.name in _DROPOUTS:
            if self.given("training", "train") is not True:
                yield from _nodes(node.args[:1])
        elif (first := _first_of_its_index(node)) is not None:
            yield from () if first is node else (first,)
        else:
            yield from self.where("viewed")
            if node.op == "call_function" and _views_first(self.op):
                yield from _nodes(node.args[:1])

    def given(self, *names: str) -> Any:
        """The argument of that name, its default, or None."""
        values = self.node.kwargs if self.bound is None else self.bound.values
        return next((values[name] for name in names if name in values), None)

    def where(self, fact: str) -> Iterator[Node]:
        """The arguments of the parameters of which something is so."""
        if self.bound is not None:
            for param in self.bound.signature.params:
                if getattr(param, fact):
                    yield from _nodes(self.bound.values[param.name])


def _first_of_its_index(node: Node) -> Node | None:
    """For `values[1]` of a call that gives several new tensors: the first node that takes the same one out.

    None where it is another subscript, or where somebody uses the tuple as a whole.
    """
    source = node.args[0] if node.target is operator.getitem else None
    if not isinstance(source, Node) or source.op not in ("call_function", "call_method"):
        return None
    users = list(source.users)
    if not all(user.target is operator.getitem and _is_position(user.args[1]) for user in users):
        return None
    bound = bind_concrete(source)
    if bound is None or not bound.signature.gives_new_tensors:
        return None
    return next(user for user in users if user.args[1] == node.args[1])


def _is_position(index: Any) -> bool:
    return type(index) is int and index >= 0


def _is_in_place(node: Node, op: Operator) -> bool:
    if getattr(op.target, "__module__", None) == "_operator":  # and_, or_, not_: that underscore avoids a keyword
        return node.target is operator.setitem or node.target in IN_PLACE_OPERATORS
    return op.name.endswith("_") and not op.name.endswith("__")


@lru_cache(maxsize=4096)
def _views_first(op: Operator) -> bool:
    """Python functions (torch.functional.split, …) carry no alias information: look at the operator of that name."""
    method = signatures(Operator("method", op.name)) if op.kind == "function" else ()
    return any(found.params[0].viewed and not found.params[0].written for found in method if found.params)


@lru_cache(maxsize=4096)
def _is_known(op: Operator) -> bool:
    """Whether it is an ordinary operation of torch, which does nothing but compute its result."""
    if op.kind in ("method", "attribute", "get_attr"):
        return True
    if isinstance(op.target, torch._ops.OpOverload):
        return op.target.namespace in ("aten", "prims") and not op.target._schema.is_mutable
    module = getattr(op.target, "__module__", None) or "torch"
    if op.name.startswith("_"):
        return False
    return module == "torch" or module.startswith(_PURE_MODULES)


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _nodes(item)
