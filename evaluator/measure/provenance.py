"""Which nodes of a graph each kernel of TorchInductor has fused, from the comments in the code that it writes.

Inductor writes above each launch the nodes that its kernel stands for, by the names that `source_fn_stack` gives them
(Dynamo sets that; `name_sources` does it for a graph that did not come from Dynamo).
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torch.fx import Node

Fused = dict[str, tuple[str, ...]]  # kernel → nodes, in the order of the graph

_NODES = re.compile(r"# Topologically Sorted Source Nodes: \[([^\]]*)\]")
_NEAR = 4  # lines
_LAUNCH = re.compile(r"\s*(\w+)\.run\(")


def name_sources(node: Node) -> None:
    """Have Inductor call a node what the graph's source calls it."""
    node.meta["source_fn_stack"] = [(str(node.meta.get("source_name", node.name)), node.target)]


@contextmanager
def fused() -> Iterator[Fused]:
    """What Inductor compiles, or finds in its cache, within the block; filled in at its end."""
    known = len(_written())
    found: Fused = {}
    yield found
    for path in _written()[known:]:
        found |= fused_in(path.read_text(encoding="utf-8", errors="replace"))


def fused_in(code: str) -> Fused:
    """The same for one file of Inductor's. A comment far from a launch is that of a kernel's definition."""
    found: Fused = {}
    nodes: tuple[str, ...] = ()
    said_at = -_NEAR
    for number, line in enumerate(code.splitlines()):
        if said := _NODES.search(line):
            nodes, said_at = tuple(name for name in said[1].split(", ") if name), number
        elif (launch := _LAUNCH.match(line)) and number - said_at < _NEAR:
            found[launch[1]] = tuple(dict.fromkeys((*found.get(launch[1], ()), *nodes)))
            said_at = -_NEAR
    return found


def _written() -> list[Path]:
    """The files that Inductor has loaded in this process."""
    codecache = sys.modules.get("torch._inductor.codecache")
    modules = codecache.PyCodeCache.modules if codecache is not None else []
    return [Path(module.__file__) for module in modules if getattr(module, "__file__", None)]
