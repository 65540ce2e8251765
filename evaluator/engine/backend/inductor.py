"""Compiling what the passes left over, with Inductor or another of Dynamo's backends."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo import lookup_backend
from torch._inductor.exc import InvalidCxxCompiler
from torch.fx import Graph, GraphModule, Node

from evaluator.engine.backend.operators import NotAnOperator, launchers_as_operators

_SOURCE = "_dynamo_source"  # where an input comes from; AOTAutograd insists on it, copies of a node lack it

__all__ = ["NotAnOperator", "compile_rest"]


class MissingCompiler(RuntimeError):
    """There is no C++ compiler; the text names the command that installs one."""


def compile_rest(
    captured: GraphModule,
    rewritten: GraphModule | None,
    inputs: Sequence[Any],
    identity: str,
    settings: dict[str, Any],
    compiler: str | Callable[..., Any] = "inductor",
) -> Callable[..., Any]:
    """Compile a graph; where passes matched, `rewritten` takes the place of what was captured.

    `identity` tells submissions apart, `settings` are `mode` and `options` as torch.compile takes them, `compiler` is
    the name of a backend that Dynamo knows, or one itself. Raises NotAnOperator before anything is changed,
    MissingCompiler, and what else the backend raises.
    """
    if rewritten is not None:
        graph = launchers_as_operators(rewritten, identity)
        _adopt(captured, graph, rewritten)
    if compiler != "inductor":
        return lookup_backend(compiler)(captured, inputs, **settings)  # type: ignore[arg-type,no-any-return]
    try:
        return lookup_backend("inductor")(captured, inputs, **_config(settings))  # type: ignore[arg-type,no-any-return]
    except Exception as problem:
        if isinstance(getattr(problem, "inner_exception", problem), InvalidCxxCompiler):
            raise MissingCompiler("Inductor on the CPU needs a C++ compiler: apt-get install g++") from problem
        raise


def _config(settings: dict[str, Any]) -> dict[str, Any]:
    chosen = torch._inductor.list_mode_options(settings["mode"]) if settings.get("mode") else {}  # type: ignore[no-untyped-call]
    patches = {**chosen, **(settings.get("options") or {})}
    return {"config_patches": patches} if patches else {}


def _adopt(captured: GraphModule, graph: Graph, source: torch.nn.Module) -> None:
    """Put a graph into Dynamo's own module, which carries what Inductor wants to know beside the graph."""
    for node in graph.nodes:
        if node.op == "get_attr" and not _has(captured, node):
            setattr(captured, str(node.target), getattr(source, str(node.target)))
    for old, new in zip(_inputs(captured.graph), _inputs(graph), strict=True):
        if hasattr(old, _SOURCE):
            setattr(new, _SOURCE, getattr(old, _SOURCE))
    captured.graph = graph
    captured.recompile()


def _inputs(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op == "placeholder"]


def _has(module: torch.nn.Module, node: Node) -> bool:
    return hasattr(module, str(node.target).split(".")[0])
