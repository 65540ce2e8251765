"""Under which autocast a launcher runs.

Inductor works the casts out while it compiles and runs its code with autocast switched off. A launcher that calls torch
would then compute in another dtype than in the graph, so its operator switches on again what was on in its place.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch
from torch.fx import Graph, Node

Region = tuple[str, torch.dtype | None]  # kind of device, dtype
_KINDS = ("cpu", "cuda")


def regions(graph: Graph) -> dict[Node, tuple[Region, ...]]:
    """What is on at each node, where anything is: around the graph, as now, and in its own regions."""
    around = {kind: torch.get_autocast_dtype(kind) for kind in _KINDS if torch.is_autocast_enabled(kind)}
    entered: list[tuple[Node, dict[str, torch.dtype | None]]] = []
    found = {}
    for node in graph.nodes:
        name = getattr(node.target, "__name__", None)
        now = entered[-1][1] if entered else around
        if name == "_enter_autocast":
            kind, dtype, enabled, *_ = node.args
            others = {other: value for other, value in now.items() if other != kind}
            entered.append((node, {**others, kind: dtype} if enabled else others))
        elif name == "_exit_autocast":
            entered = [item for item in entered if item[0] is not node.args[0]]
        elif now:
            found[node] = tuple(sorted(now.items(), key=lambda item: item[0]))
    return found


@contextmanager
def within(on: Sequence[Region]) -> Iterator[None]:
    """Run with these switched on."""
    with ExitStack() as stack:
        for kind, dtype in on:
            stack.enter_context(torch.autocast(kind, dtype=dtype))
        yield
