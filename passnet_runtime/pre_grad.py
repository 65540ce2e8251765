"""The passes in Inductor's own hook, for programs that call `torch.compile` with Inductor themselves.

fused = torch.compile(model, options=pre_grad_pass("my_pass_dir").options())
"""

import warnings
from collections.abc import Callable
from hashlib import sha256
from os import PathLike
from typing import Any

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.fx import Graph, GraphModule

from evaluator.engine.backend import NoBackward
from evaluator.engine.backend.gradients import launchers_on_the_way_back
from evaluator.engine.backend.operators import NotAnOperator, launchers_as_operators
from evaluator.engine.backend.report import GraphReport, report, text
from evaluator.engine.backend.transforms import transforms_of
from evaluator.engine.load import LoadedPass
from evaluator.engine.passes import apply_passes
from passnet_runtime.backend import Allowed, Gate, loaded_folders

_SOURCE = "_dynamo_source"  # where an input comes from; AOTAutograd insists on it, copies of a node lack it


def pre_grad_pass(*folders: str | PathLike[str], unverified: Allowed = "leave") -> "PreGradPass":
    """The passes of folders as a custom pass of Inductor, which it calls with each graph that Dynamo captured.

    Arguments and exceptions are those of `passes`.
    """
    _, loaded, code, gate = loaded_folders(folders, unverified)
    return PreGradPass(loaded, code, gate)


class PreGradPass(CustomGraphPass):
    """`torch._inductor.config.pre_grad_custom_pass`; `report` and `explain()` are those of the backend."""

    def __init__(self, loaded: tuple[LoadedPass, ...], code: str, gate: Gate) -> None:
        self._loaded, self._code, self._gate = loaded, code, gate
        self._reports: list[GraphReport] = []

    @property
    def report(self) -> tuple[GraphReport, ...]:
        return tuple(self._reports)

    def explain(self) -> str:
        """What was matched where, what was not and why, for every graph compiled so far."""
        return text(self._reports)

    def options(self) -> dict[str, Any]:
        """What to give to `torch.compile(model, options=…)`.

        The pass runs before Inductor looks into its cache: a compiled graph that it finds there needs the operators
        that the pass registers.
        """
        early = {"pre_grad_pass_timing": "early"} if hasattr(torch._inductor.config, "pre_grad_pass_timing") else {}
        return {"pre_grad_custom_pass": self, **early}

    def uuid(self) -> str:
        return sha256(f"{self._code} {self._gate.fingerprint()}".encode()).hexdigest()

    def __deepcopy__(self, memo: dict[int, Any]) -> "PreGradPass":
        """Inductor copies its options; modules can not be copied, and reports belong to one object."""
        return self

    def __call__(self, graph: Graph) -> None:
        module = graph.owning_module
        assert isinstance(module, GraphModule)
        applied = apply_passes(module, self._loaded, self._gate)
        self._reports.append(report(len(self._reports) + 1, module, applied, "inductor"))
        if not applied.matches or transforms_of(module):
            return
        if launchers_on_the_way_back(applied.module):
            warnings.warn("a gradient would have to flow through a launcher, which has no backward", NoBackward)  # noqa: B028
            return
        try:
            rewritten = launchers_as_operators(applied.module, self._code)
        except NotAnOperator:
            return
        for node in rewritten.nodes:
            if node.op == "get_attr" and not hasattr(module, str(node.target).split(".")[0]):
                setattr(module, str(node.target), getattr(applied.module, str(node.target)))
        become(graph, rewritten)


def become(graph: Graph, other: Graph) -> None:
    """Give `graph` the nodes of `other`, in place; both have the same inputs."""
    sources = [getattr(node, _SOURCE, None) for node in graph.nodes if node.op == "placeholder"]
    for node in reversed(list(graph.nodes)):
        graph.erase_node(node)
    copies: dict[Any, Any] = {}
    copy: Callable[[Any], Any] = copies.__getitem__
    for node in other.nodes:
        copies[node] = graph.node_copy(node, copy)
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    for node, source in zip(inputs, sources, strict=True):
        if source is not None:
            setattr(node, _SOURCE, source)
    graph.lint()
