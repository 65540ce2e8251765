"""What a draft returns: values that its kernels store, and views of them or of its inputs."""

from collections.abc import Mapping

from assistant.drafter.kernel_text import Stored
from assistant.drafter.launcher import Results
from assistant.drafter.lower import Lowering
from assistant.drafter.refusals import NoKernel
from assistant.drafter.selection import Selection
from assistant.drafter.values import Load, Value
from graphs.fx_source import FxNode, Ref, expression_source
from graphs.fx_source.model import map_refs
from graphs.operators import operator_name

_IN_ORDER = frozenset({"view", "unsqueeze", "squeeze", "unflatten", "view_as", "reshape", "flatten"})
# These two copy where the elements do not lie in order, which is a kernel's work.
MAY_COPY = frozenset({"reshape", "flatten"})
VIEWS = _IN_ORDER | {
    "permute", "transpose", "t", "expand", "expand_as", "getitem", "select", "narrow", "swapaxes", "chunk", "split",
    "unbind",
}  # fmt: skip


def results_of(low: Lowering, chosen: Selection, names: Mapping[str, str]) -> tuple[list[Stored], Results]:
    """What has to be stored, and the views of it that are returned."""
    inside = {names[node.name]: renamed(node, names) for node in chosen.nodes}
    stored: dict[int, Stored] = {}
    views: dict[str, str] = {}

    def in_order(name: str) -> bool:
        """Whether the elements lie in memory in their order: an input, which other launchers make so, what a kernel
        stores, and views of these that keep it."""
        node = inside.get(name)
        source = None if node is None or not node.args else node.args[0]
        if node is None or operator_name(node) not in VIEWS or not isinstance(source, Ref):
            return True
        return operator_name(node) in _IN_ORDER and in_order(source.name)

    def ready(name: str) -> str:
        """The launcher's name for a node's value; stores it, or makes it a view."""
        value = low.env[name]
        node = inside.get(name)
        if node is None:
            return name
        source = node.args[0] if node.args else None
        if isinstance(value, Load):
            if operator_name(node) == "contiguous" and isinstance(source, Ref):
                views[name] = f"{name} = {ready(source.name)}.contiguous()"  # how it lies in memory is not known
                return name
            return value.tensor
        is_view = node.op != "get_attr" and operator_name(node) in VIEWS and isinstance(source, Ref)
        if operator_name(node) in MAY_COPY and isinstance(source, Ref) and not in_order(source.name):
            is_view = False
        if is_view and isinstance(source, Ref) and all(ref == source.name for ref in node.refs()):
            base = ready(source.name)
            if name not in views:
                views[name] = f"{name} = {expression_source(_on(node, base))}"
            return name
        if not isinstance(value, Value):
            raise NoKernel("a result is no tensor", name)
        if id(value) not in stored:
            stored[id(value)] = Stored(value, name)
        return stored[id(value)].buffer

    returned = [ready(names[name]) for name in chosen.outputs]
    return list(stored.values()), Results(tuple(returned), tuple(views.values()))


def _on(node: FxNode, base: str) -> FxNode:
    """The view, taken of another name."""
    return FxNode(node.name, node.op, node.target, (Ref(base), *node.args[1:]), node.kwargs)


def renamed(node: FxNode, names: Mapping[str, str]) -> FxNode:
    """The node with its own name and those of its arguments as the pass file has them."""
    args = tuple(map_refs(arg, dict(names)) for arg in node.args)
    kwargs = tuple((key, map_refs(value, dict(names))) for key, value in node.kwargs)
    return FxNode(names[node.name], node.op, node.target, args, kwargs)
