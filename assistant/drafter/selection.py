"""Which nodes can be a pattern: what goes in, what comes out, and why not."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.drafter.call import writes_in_place
from assistant.drafter.refusals import CannotBePattern
from graphs.fx_source import FxGraph, FxNode, Ref
from graphs.fx_source.model import Device, Slice
from graphs.operators import operator_class, operator_label

# Copies that count as views all the same: they give their input back where there is nothing to do.
_SHARING = frozenset({"contiguous", "to", "reshape", "flatten", "dropout", "float", "half", "bfloat16", "type_as"})
_COPYING_VIEWS = frozenset({
    "cat", "concat", "concatenate", "stack", "roll", "flip", "clone", "repeat", "repeat_interleave", "pad", "tile",
    "cpu", "cuda", "copy",
})  # fmt: skip


@dataclass(frozen=True)
class Selection:
    """Nodes in the order of the graph. `inputs`: names of the values that go in. `outputs`: nodes that are used
    outside; those of them that are used inside as well are `leaks`."""

    nodes: tuple[FxNode, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    leaks: tuple[str, ...]
    left_out: tuple[str, ...]  # inputs and the graph's return, which are no operators


def select(graph: FxGraph, names: Collection[str], devices: Mapping[str, str] | None = None) -> Selection:
    """The selection, checked. `devices`: of the graph's inputs. Raises CannotBePattern, or KeyError."""
    chosen = [graph.node(name) for name in dict.fromkeys(names)]
    left_out = tuple(node.name for node in chosen if node.op in ("placeholder", "output", "get_attr"))
    order = {node.name: place for place, node in enumerate(graph.nodes)}
    nodes = tuple(sorted((node for node in chosen if node.name not in left_out), key=lambda node: order[node.name]))
    if not nodes:
        what = "inputs and the graph's return value" if left_out else "nothing"
        raise CannotBePattern("empty", f"The selection holds {what}. Select at least one operator.", left_out)
    inside = {node.name for node in nodes}
    _check_convex(graph, inside)
    _check_memory(graph, inside, order)
    inputs = tuple(dict.fromkeys(name for node in nodes for name in node.refs() if name not in inside))
    _check_devices(nodes, inputs, devices or {})
    users = {node.name: graph.users(node.name) for node in nodes}
    outputs = tuple(name for name, used in users.items() if any(user not in inside for user in used))
    if not outputs:
        message = "Nothing outside uses what the selection computes, so that there is nothing to replace."
        raise CannotBePattern("dead", message, [node.name for node in nodes])
    leaks = tuple(name for name in outputs if any(user in inside for user in users[name]))
    return Selection(nodes, inputs, outputs, leaks, left_out)


def _check_convex(graph: FxGraph, inside: set[str]) -> None:
    """No path may leave the selection and come back: the launcher would have to run before and after it."""
    came_from: dict[str, str] = {}  # node outside that depends on the selection → the node that it was reached by
    for node in graph.nodes:
        for name in dict.fromkeys(node.refs()):
            if node.name in inside and name in came_from:
                path = [name]
                while path[-1] not in inside:
                    path.append(came_from[path[-1]])
                leaves, between = path[-1], list(reversed(path[:-1]))
                shown = ", ".join(f"`{part}`" for part in between[:4]) + (" …" if len(between) > 4 else "")
                message = (
                    f"The selection is not in one piece: a path leaves it at `{leaves}`, goes through {shown}, which "
                    f"{'is' if len(between) == 1 else 'are'} not selected, and returns at `{node.name}`. "
                    f"Select {'that node' if len(between) == 1 else 'those nodes'} too, or one side only."
                )
                raise CannotBePattern("not_convex", message, [leaves, *between, node.name])
            if node.name not in inside and (name in inside or name in came_from) and node.name not in came_from:
                came_from[node.name] = name


def _check_memory(graph: FxGraph, inside: set[str], order: Mapping[str, int]) -> None:
    """Changes in place must stay the selection's own business."""
    root = _roots(graph)
    first = min(order[name] for name in inside)
    last = max(order[name] for name in inside)
    touched = {root[name] for name in inside for name in (name, *graph.node(name).refs())}
    derived = _derived(graph, inside)
    for node in graph.nodes:
        if not writes_in_place(node) or not node.args or not isinstance(node.args[0], Ref):
            continue
        place = root[node.args[0].name]
        if node.name not in inside:
            if first < order[node.name] < last and place in touched:
                user = next(n for n in inside if place in {root[n], *(root[r] for r in graph.node(n).refs())})
                raise _hazard(node.name, user, "changes in place what", "uses, and lies in between. Select it, too")
            continue
        owner = graph.node(place)
        if owner.op == "placeholder":
            message = (
                f"`{node.name}` changes the graph's input `{place}` in place, which whoever calls the graph sees. "
                "A drafted launcher would leave the input as it was. Leave that node out."
            )
            raise CannotBePattern("mutation", message, [node.name, place])
        for later in graph.nodes[order[node.name] + 1 :]:
            if later.name in inside:
                continue
            for name in later.refs():
                if root[name] == place and name not in derived:
                    raise _hazard(node.name, later.name, f"changes `{name}` in place, and", "uses that later")


def _hazard(node: str, other: str, how: str, then: str) -> CannotBePattern:
    return CannotBePattern("mutation", f"`{node}` {how} `{other}` {then}.", [node, other])


def _roots(graph: FxGraph) -> dict[str, str]:
    """For each node the one whose memory it may lie in."""
    root: dict[str, str] = {}
    for node in graph.nodes:
        first = node.args[0].name if node.args and isinstance(node.args[0], Ref) else None
        root[node.name] = root[first] if first is not None and may_share(node) else node.name
    return root


def may_share(node: FxNode) -> bool:
    """Whether the result may lie in the memory of the first argument."""
    if node.op not in ("call_function", "call_method"):
        return False
    label = node.target.rpartition(".")[2]
    if writes_in_place(node) or label in _SHARING:
        return True
    return operator_class(node) == "view" and label not in _COPYING_VIEWS


def _derived(graph: FxGraph, inside: set[str]) -> set[str]:
    """The selected nodes and what is made of them without a copy."""
    found = set(inside)
    for node in graph.nodes:
        if may_share(node) and node.args and isinstance(node.args[0], Ref) and node.args[0].name in found:
            found.add(node.name)
    return found


def _check_devices(nodes: Iterable[FxNode], inputs: Iterable[str], devices: Mapping[str, str]) -> None:
    where: dict[str, str] = {}
    for name in inputs:
        if name in devices:
            where.setdefault(devices[name].partition(":")[0], name)
    for node in nodes:
        for device in _devices_in((*node.args, *(value for _, value in node.kwargs))):
            where.setdefault(device, node.name)
        if operator_label(node) in ("cpu", "cuda"):
            where.setdefault(operator_label(node), node.name)
    if len(where) > 1:
        both = " and ".join(f"{device} (`{name}`)" for device, name in where.items())
        message = f"The selection works on several devices: {both}. One kernel runs on one device."
        raise CannotBePattern("devices", message, list(where.values()))


def _devices_in(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, Device):
            yield value.type
        elif isinstance(value, (tuple, list)):
            yield from _devices_in(value)
        elif isinstance(value, Slice):
            yield from ()
