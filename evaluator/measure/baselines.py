"""Compilers a candidate is measured against. TorchInductor is the first; others register by entry point.

A backend is a function `(module, inputs) -> callable` that returns the compiled graph itself, to be called directly
with the graph's inputs. Packages offer theirs under the entry-point group `passnet.baselines`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from time import perf_counter
from typing import Any

import torch
from torch.fx import GraphModule

Backend = Callable[[GraphModule, Sequence[Any]], Callable[..., Any]]

INDUCTOR_MODES: dict[str, dict[str, Any]] = {
    "inductor": {},
    "inductor max-autotune": {"max_autotune": True},
    "inductor reduce-overhead": {"triton.cudagraphs": True},
}


@dataclass(frozen=True)
class Compiled:
    """A baseline ready to be called with the graph's inputs, and the seconds that it took to get there."""

    call: Callable[..., Any]
    seconds: float


def compile_baseline(name: str, module: GraphModule, inputs: Sequence[Any]) -> Compiled:
    """Compile by name and call once. Raises LookupError for an unknown name, and whatever the compiler raises."""
    known = backends()
    if name not in known:
        raise LookupError(f"there is no baseline {name!r}: {', '.join(known)}")
    started = perf_counter()
    call = known[name](module, inputs)
    with torch.no_grad():
        call(*inputs)
    return Compiled(call, perf_counter() - started)


def backends() -> dict[str, Backend]:
    """All that can be asked for by name: Inductor's modes and whatever is installed."""
    found: dict[str, Backend] = {name: _inductor(options) for name, options in INDUCTOR_MODES.items()}
    for entry in entry_points(group="passnet.baselines"):
        found[entry.name] = entry.load()
    return found


def _inductor(options: dict[str, Any]) -> Backend:
    def compile_graph(module: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        import torch._inductor

        with torch.no_grad():
            compiled: Callable[..., Any] = torch._inductor.compile(module, list(inputs), options=options or None)
        return compiled

    return compile_graph


def through_torch_compile(module: GraphModule, run: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """`module` behind `torch.compile`'s guards with `run` as what its backend returns: the `compiled` entry.

    `run` takes the graph's own inputs and stays opaque to Dynamo, so all participants pay the same guards and nothing
    else. Raises LookupError at the first call when Dynamo breaks the graph or names its inputs in an unknown way.
    """

    def backend(captured: GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        places = _places(module, captured)

        def call(*values: Any) -> Any:
            # An input that Dynamo dropped is not used, or is a number that its guards hold fixed.
            return run(*(inputs[at] if place is None else values[place] for at, place in enumerate(places)))

        return call

    return torch.compile(module, backend=backend, dynamic=False, fullgraph=True)


def all_through_torch_compile(
    module: GraphModule, participants: Mapping[str, Callable[..., Any]], inputs: Sequence[Any]
) -> tuple[dict[str, Callable[..., Any]], dict[str, str]]:
    """Those that can be called through `torch.compile`, warm, and why the others can not."""
    through, missing = {}, {}
    for name, run in participants.items():
        call = through_torch_compile(module, run, inputs)
        try:
            call(*inputs)
        except Exception as problem:
            missing[name] = f"torch.compile can not take this graph: {problem}"[:2000]
        else:
            through[name] = call
    return through, missing


def _places(module: GraphModule, captured: GraphModule) -> list[int | None]:
    """For each input of the module, its position among Dynamo's (in order of first use), or None where it is absent."""
    found = {str(node.target): at for at, node in enumerate(captured.graph.find_nodes(op="placeholder"))}
    wanted = [f"L_{node.target}_" for node in module.graph.find_nodes(op="placeholder")]
    if unknown := sorted(set(found) - set(wanted)):
        raise LookupError(f"Dynamo's inputs {', '.join(unknown)} are none of the graph's")
    return [found.get(name) for name in wanted]
