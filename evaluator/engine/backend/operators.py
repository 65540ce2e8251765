"""Launchers as custom operators, so that Inductor can compile a graph around them.

A plain Python function in a graph is traced into with tensors that have no memory, which no kernel survives. Two ways
around that were measured: this one, and a graph split at its launchers into pieces that are compiled one by one. With
launchers that only allocate, four of them and 64 × 64 elements, a call takes 60 µs with operators and 108 µs split;
with one launcher 24 and 33 µs (one core, torch 2.13): every piece brings a wrapper of its own. Operators also leave
Inductor one graph to fuse in and to record as a CUDA graph. So graphs are not split.
"""

import json
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_aggregate

from evaluator.engine import interpreter
from evaluator.engine.backend.autocast import Region, regions, within
from evaluator.engine.backend.examples import CONTAINERS, Unknown, example, schema_type
from evaluator.engine.backend.results import Promise, promise
from evaluator.engine.leaf import Leaf, identifier, launcher_name
from evaluator.engine.rewrite import copy_graph

NAMESPACE = "passnet"

_library = torch.library.Library(NAMESPACE, "FRAGMENT")
_registered: Counter[str] = Counter()


class NotAnOperator(Exception):
    """A launcher takes or gives what an operator can not."""


def launchers_as_operators(module: GraphModule, identity: str) -> Graph:
    """A copy of a rewritten graph in which every launcher is an operator of the namespace `passnet`.

    Literal arguments are written into the operator; its parameters are the graph's values alone. `identity` tells
    submissions apart. Raises NotAnOperator.
    """
    graph = copy_graph(module.graph)
    autocast = regions(graph)
    for node in list(graph.nodes):
        if isinstance(node.target, Leaf):
            try:
                call = _read(node, node.target, module, autocast.get(node, ()))
            except Unknown as problem:
                raise NotAnOperator(f"{launcher_name(node.target.launcher)}: {problem}") from problem
            _replace(node, call, _register(call, identity), graph)
    graph.lint()
    return graph


@dataclass(frozen=True)
class _Slot:
    """The place of a graph's value among a launcher's arguments."""

    index: int


@dataclass(frozen=True)
class _Call:
    """One launcher's call. `results` are (which output, its node) for those that are used."""

    leaf: Leaf
    template: Any  # the arguments, with slots for values of the graph
    values: tuple[Node, ...]
    types: tuple[str, ...]
    kinds: tuple[Any, ...]  # what makes a value again of what an operator hands over: tuple, …; None: nothing to do
    results: tuple[tuple[int, Node], ...]
    promises: tuple[Promise, ...]
    autocast: tuple[Region, ...]

    @property
    def schema(self) -> str:
        types = (kind.replace("(!)", f"(a{index}!)") for index, kind in enumerate(self.types))
        parameters = ", ".join(f"{kind} x{index}" for index, kind in enumerate(types))
        returns = ", ".join("Tensor" for _ in self.results)
        return f"({parameters}) -> {returns if len(self.results) == 1 else f'({returns})'}"


def _read(node: Node, leaf: Leaf, module: GraphModule, autocast: tuple[Region, ...]) -> _Call:
    slots: dict[Node, _Slot] = {}
    template = map_aggregate(
        node.args,
        lambda value: slots.setdefault(value, _Slot(len(slots))) if isinstance(value, Node) else value,  # type: ignore[arg-type,return-value]
    )
    if leaf.outputs > 1:
        results = tuple((_index(user), user) for user in node.users)
    else:
        results = ((0, node),) if node.users else ()
    written = node.meta.get("leaf_writes", ())
    examples = [example(value, module) for value in slots]
    types = (
        # a value that replacement_args made may be a view of one that the launcher changes
        schema_type(found, written=value in written or (bool(written) and "pass" in value.meta))
        for value, found in zip(slots, examples, strict=True)
    )
    kinds = (type(found) if type(found) in CONTAINERS else None for found in examples)
    promises = (promise(example(result, module), launcher_name(leaf.launcher)) for _, result in results)
    return _Call(leaf, template, tuple(slots), tuple(types), tuple(kinds), results, tuple(promises), autocast)


def _index(item: Node) -> int:
    index = item.args[1]  # of operator.getitem
    assert isinstance(index, int)
    return index


def _replace(node: Node, call: _Call, target: Callable[..., Any], graph: Graph) -> None:
    with graph.inserting_before(node):
        new = graph.call_function(target, call.values)
        for index, (_, result) in enumerate(call.results):
            item = new if len(call.results) == 1 else graph.call_function(operator.getitem, (new, index))
            item.meta = dict(result.meta)
            result.replace_all_uses_with(item)
            if result is not node:
                graph.erase_node(result)
    graph.erase_node(node)


def _register(call: _Call, identity: str) -> Callable[..., Any]:
    """Make the operator. Its name says what it does: Inductor keeps compiled graphs on disk under the names in them."""
    said = [identity, call.leaf.pass_name, call.schema, repr(call.template), repr(call.promises), repr(call.autocast)]
    digest = sha256(json.dumps(said).encode()).hexdigest()[:12]
    name = f"{identifier(call.leaf.pass_name)}_{digest}_{_registered[digest]}"
    _registered[digest] += 1
    tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)  # launchers see the strides that eager has
    _library.define(name + call.schema, tags=tags)
    _library.impl(name, _implementation(call), "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", _fake(call), lib=_library)
    found: Callable[..., Any] = getattr(getattr(torch.ops, NAMESPACE), name).default
    return found


def _implementation(call: _Call) -> Callable[..., Any]:
    leaf, template, promises = call.leaf, call.template, call.promises
    taken = [index for index, _ in call.results]

    def run(*given: Any) -> Any:
        values = [value if kind is None else kind(value) for kind, value in zip(call.kinds, given, strict=True)]
        with interpreter.here(), within(call.autocast):
            returned = leaf(*_filled(template, values))
        outputs = (returned,) if leaf.outputs == 1 else returned
        owned = {value.untyped_storage().data_ptr() for value in values if isinstance(value, torch.Tensor)}
        results = tuple(kept.kept(outputs[index], owned) for index, kept in zip(taken, promises, strict=True))
        return _as_declared(results)

    return run


def _fake(call: _Call) -> Callable[..., Any]:
    """What Dynamo found when it ran the replaced nodes without memory; sizes may be symbolic."""

    def fake(*_: Any) -> Any:
        return _as_declared(tuple(promise.empty() for promise in call.promises))

    return fake


def _as_declared(results: tuple[Any, ...]) -> Any:
    return None if not results else results[0] if len(results) == 1 else results


def _filled(template: Any, values: Sequence[Any]) -> Any:
    if isinstance(template, _Slot):
        return values[template.index]
    if isinstance(template, tuple):
        return tuple(_filled(item, values) for item in template)
    if isinstance(template, list):
        return [_filled(item, values) for item in template]
    if isinstance(template, dict):
        return {key: _filled(item, values) for key, item in template.items()}
    if isinstance(template, slice):
        return slice(*(_filled(item, values) for item in (template.start, template.stop, template.step)))
    return template
