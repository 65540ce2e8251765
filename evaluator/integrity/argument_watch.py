"""Sees work that `replacement_args` has put into the rewritten graph beside its launcher.

Expressions there become nodes of the graph: sizes, subscripts and other views are what they are for. An operator that
computes on data is work that a launcher may not do either, whoever calls it.
"""

import re
import sys
from types import CodeType, FrameType
from typing import Any

from torch.fx import GraphModule
from torch.utils._python_dispatch import TorchDispatchMode

from evaluator.engine.leaf import Leaf, Origin
from evaluator.events import Finding
from evaluator.integrity.analysis.report import make_finding
from evaluator.integrity.aten_kinds import AtenKind, kind_of
from evaluator.integrity.launch_watch import tensors_in
from evaluator.integrity.taint import Ledger
from evaluator.verdicts import FindingClass, Severity

CHECK = "argument watch"
_ASSIGNED = re.compile(r"\s*(\w+)")


class ArgumentWatch(TorchDispatchMode):
    """Context manager around one call of the module. `nodes`: name of a node that was put in → its pass."""

    def __init__(self, code: CodeType, lines: list[str], nodes: dict[str, str], origins: dict[str, Origin]) -> None:
        super().__init__()
        self._code = code
        self._lines = lines
        self._nodes = nodes
        self._origins = origins
        self._free = Ledger()  # made by these nodes of sizes and constants alone
        self._seen: dict[tuple[str, str], AtenKind] = {}  # by pass and operator

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as for the dispatch guard's

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        kind = kind_of(func)
        if kind is AtenKind.VIEW:
            return result
        pass_name = self._whose()
        if pass_name is not None:
            if any(not self._free.holds_data(tensor) for tensor in tensors_in((args, kwargs or {}))):
                if kind in (AtenKind.WORK, AtenKind.COPY):
                    self._seen[pass_name, func._schema.name.replace("::", ".")] = kind
            else:
                for tensor in tensors_in(result):
                    self._free.mark(tensor)
        return result

    def findings(self, *, launches: int) -> list[Finding]:
        """`launches`: kernels of the whole call. Without any, these operators did all the work."""
        found = []
        for (pass_name, operator), kind in self._seen.items():
            severity = Severity.VIOLATION if launches == 0 else Severity.SUSPICIOUS
            words = f"`{operator}` works on data in front of the launcher: replacement_args has put it into the graph"
            if kind is AtenKind.COPY:
                severity, words = Severity.NOTE, f"`{operator}` copies data in front of the launcher"
            origin = self._origins.get(pass_name)
            file, line = (None, None) if origin is None else (origin.file, origin.line)
            found.append(make_finding(FindingClass.TORCH_COMPUTE, severity, file, line, words, CHECK))
        return found

    def _whose(self) -> str | None:
        """The pass whose node is being run, if it is one that was put in beside a launcher."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code is not self._code:
            frame = frame.f_back
        if frame is None or frame.f_lineno > len(self._lines):
            return None
        written = _ASSIGNED.match(self._lines[frame.f_lineno - 1])
        return None if written is None else self._nodes.get(written[1])


def watch_arguments(module: GraphModule) -> ArgumentWatch | None:
    """A watch over the nodes that `replacement_args` put into a rewritten graph; None where there are none."""
    nodes, origins = {}, {}
    for node in module.graph.nodes:
        if isinstance(node.target, Leaf):
            if node.target.arguments is not None:
                origins[node.target.pass_name] = node.target.arguments
        elif "pass" in node.meta and not node.meta.get("origins"):
            nodes[node.name] = node.meta["pass"]
    if not nodes:
        return None
    return ArgumentWatch(type(module).forward.__code__, module.code.splitlines(), nodes, origins)
