"""Compilers a candidate is measured against. TorchInductor is the first; others register by entry point.

A backend is a function `(module, inputs) -> callable` that returns the compiled graph itself, to be called directly
with the graph's inputs. Packages offer theirs under the entry-point group `passnet.baselines`.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from time import perf_counter
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node
from torch.utils._pytree import tree_leaves

from evaluator.measure import provenance
from evaluator.measure.provenance import Fused

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
    fused: Fused  # by its kernels, where the compiler says so


def compile_baseline(name: str, module: GraphModule, inputs: Sequence[Any]) -> Compiled:
    """Compile by name and call once. Raises LookupError for an unknown name, and whatever the compiler raises."""
    known = _own() if name in INDUCTOR_MODES else backends()  # looking through what is installed takes its time
    if name not in known:
        raise LookupError(f"there is no baseline {name!r}: {', '.join(known)}")
    started = perf_counter()
    with provenance.fused() as fused:
        call = known[name](module, inputs)
        with torch.no_grad():
            call(*inputs)
    return Compiled(call, perf_counter() - started, fused)


def backends() -> dict[str, Backend]:
    """All that can be asked for by name: Inductor's modes and whatever is installed."""
    found = _own()
    for entry in entry_points(group="passnet.baselines"):
        found[entry.name] = entry.load()
    return found


def _own() -> dict[str, Backend]:
    return {name: _inductor(options) for name, options in INDUCTOR_MODES.items()}


def _inductor(options: dict[str, Any]) -> Backend:
    def compile_graph(module: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        import torch._inductor

        with torch.no_grad():
            compiled: Callable[..., Any] = torch._inductor.standalone_compile(
                with_example_values(module, inputs),
                list(inputs),
                dynamic_shapes="from_example_inputs",
                options={"config_patches": options} if options else None,
            )
        return compiled

    return compile_graph


def with_example_values(module: GraphModule, inputs: Sequence[Any]) -> GraphModule:
    """A copy whose nodes say what they return, as Dynamo's do: without that a compiled graph is not found again.

    (AOTAutograd's cache takes a method call only where it is known to be one of a tensor.)
    """
    from torch._subclasses.fake_tensor import FakeTensorMode

    own = copy.deepcopy(module)
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    with fake, torch.no_grad():
        values = [fake.from_tensor(value) if isinstance(value, torch.Tensor) else value for value in inputs]
        _ExampleValues(own, garbage_collect_values=False).run(*values)
    return own


class _ExampleValues(Interpreter):
    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        n.meta["example_value"] = value
        if n.op not in ("placeholder", "output"):
            provenance.name_sources(n)
        return value


def all_through_torch_compile(
    module: GraphModule, participants: Mapping[str, Callable[..., Any]], inputs: Sequence[Any]
) -> tuple[dict[str, Callable[..., Any]], dict[str, str]]:
    """Those that can be called through `torch.compile`, warm, and why the others can not: the `compiled` entry.

    `module` is compiled once, behind Dynamo's guards; what its backend returned calls whichever participant is asked
    for, opaque to Dynamo. So all pay the same guards and nothing else.
    """
    switch = _Switch(module, inputs)
    through: dict[str, Callable[..., Any]] = {}
    missing: dict[str, str] = {}
    for name, run in participants.items():
        call = partial(switch, run)
        try:
            with _guards_not_timed():
                call(*inputs)
        except Exception as problem:
            missing[name] = f"torch.compile can not take this graph: {problem}"[:2000]
        else:
            through[name] = call
    return through, missing


@contextmanager
def _guards_not_timed() -> Iterator[None]:
    """Dynamo leaves out what it does for its own statistics: it empties the processor's caches and times new guards.

    That takes longer than to trace a small graph. The guards are the same.
    """
    import torch._dynamo.guards

    guards: Any = torch._dynamo.guards
    own = getattr(guards, "profile_guard_manager", None)
    if own is None:  # this torch does not do so
        yield
        return
    guards.profile_guard_manager = lambda *_: 0.0
    try:
        yield
    finally:
        guards.profile_guard_manager = own


class _Switch:
    """A module behind `torch.compile`, with another function in its place at each call."""

    def __init__(self, module: GraphModule, inputs: Sequence[Any]) -> None:
        self._module, self._inputs = module, inputs
        self._run: Callable[..., Any] = module.forward
        self._compiled = torch.compile(module, backend=self._backend, dynamic=False, fullgraph=True)

    def __call__(self, run: Callable[..., Any], *inputs: Any) -> Any:
        self._run = run
        return self._compiled(*inputs)

    def _backend(self, captured: GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        """Raises LookupError where Dynamo's inputs or outputs are not those of the module."""
        inputs, places = self._inputs, _places(self._module, captured)
        own, count = (len(tree_leaves(one.graph.output_node().args)) for one in (self._module, captured))
        if own != count:  # it returns an input, or a number, by itself
            raise LookupError(f"Dynamo has {count} outputs where the graph has {own}")

        def call(*values: Any) -> Any:
            # An input that Dynamo dropped is not used, or is a number that its guards hold fixed.
            returned = self._run(*(inputs[at] if place is None else values[place] for at, place in enumerate(places)))
            return returned if type(returned) is tuple and len(returned) == count else tuple(tree_leaves(returned))

        return call


def _places(module: GraphModule, captured: GraphModule) -> list[int | None]:
    """For each input of the module, its position among Dynamo's (in order of first use), or None where it is absent."""
    found = {str(node.target): at for at, node in enumerate(captured.graph.find_nodes(op="placeholder"))}
    wanted = [f"L_{node.target}_" for node in module.graph.find_nodes(op="placeholder")]
    if unknown := sorted(set(found) - set(wanted)):
        raise LookupError(f"Dynamo's inputs {', '.join(unknown)} are none of the graph's")
    return [found.get(name) for name in wanted]
