"""One difference between a pattern node and the graph, in words."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch.fx import Node

from evaluator.engine.normalise import Slot, bind, bind_concrete, leaves, operator_of, same_constant, slots
from evaluator.engine.partial import Difference
from evaluator.engine.pattern import Pattern, nodes_in
from evaluator.engine.printed import node_code, target_name, value_code
from evaluator.engine.signatures import MISSING
from evaluator.engine.view import GraphView, source_name
from evaluator.events import ArgumentDiff

Naming = Callable[[Node], str]

# Operators and other spellings → the operation's common name.
_SAME = {
    "truediv": "div", "true_divide": "div", "divide": "div", "multiply": "mul", "subtract": "sub", "mod": "remainder",
    "floordiv": "floor_divide", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor",
    "invert": "bitwise_not", "negative": "neg", "concat": "cat", "concatenate": "cat", "absolute": "abs",
    "clip": "clamp", "swapaxes": "transpose", "swapdims": "transpose", "greater": "gt", "less": "lt",
    "greater_equal": "ge", "less_equal": "le", "not_equal": "ne", "moveaxis": "movedim", "special_expit": "sigmoid",
    "special_softmax": "softmax", "linalg_matmul": "matmul",
}  # fmt: skip


_SIGNS = {
    operator.truediv: "/", operator.sub: "-", operator.pow: "**", operator.matmul: "@", operator.mod: "%",
    operator.floordiv: "//", operator.lt: "<", operator.gt: ">", operator.le: "<=", operator.ge: ">=",
    operator.lshift: "<<", operator.rshift: ">>",
}  # fmt: skip
_SIZES = frozenset({"shape", "size", "numel"})


@dataclass(frozen=True)
class Words:
    """What the near miss says about one difference."""

    kind: str
    message: str
    suggestion: str | None
    graph_node: Node | None
    differences: list[ArgumentDiff] = field(default_factory=list)


def describe_difference(
    difference: Difference, pattern: Pattern, view: GraphView, inputs: dict[Node, Any], naming: Naming
) -> Words:
    """`inputs`: what the pattern's inputs are bound to; `naming` gives graph nodes the author's names if there are."""
    wanted, found = difference.wanted, difference.found
    if difference.is_crossed:
        return _crossed(difference, pattern, naming)
    if difference.slots:
        return _arguments(difference, pattern, inputs, naming)
    expected = node_code(wanted, pattern.traced.name)
    absent = "."
    if wanted in pattern.operators and not view.by_operator.get(pattern.operators[wanted]):
        absent = f"; the graph never has {operator_words(wanted)}."
    if wanted.op == "get_attr":
        message = f"the pattern uses a tensor that the pass's own code holds (`{expected}`); no graph has it."
        return Words("operator", message, "make it with a call in the pattern, or take it as an input", None)
    if found is None:
        return _nothing(difference, expected, absent, pattern, naming)
    if not isinstance(found, Node):
        message = f"the pattern has `{expected}` where the graph has the constant {value_code(found)}{absent}"
        return Words("argument", message, f"write {value_code(found)} there", None)
    if absent != "." and _is_size(wanted):
        message = f"the pattern works with `{expected}`, and this graph never asks for a size: its sizes are numbers."
        suggestion = "write the graph's numbers there, or take what depends on them as an input of the pattern"
        return Words("operator", message, suggestion, found)
    if found.op in ("placeholder", "get_attr"):
        what = "its input" if found.op == "placeholder" else "the tensor"
        message = f"the pattern has `{expected}` where the graph has {what} `{source_name(found)}`{absent}"
        return Words("operator", message, f"make `{pattern.traced.name(wanted)}` an input of the pattern", found)
    return _other_call(wanted, found, expected, absent, pattern, naming)


def operator_words(node: Node) -> str:
    """`torch.sum`, `.view()`, `.shape`: what a node calls, as people write it."""
    op = operator_of(node)
    if op is not None and op.kind == "attribute":
        return f".{op.target}"
    return f".{node.target}()" if node.op == "call_method" else target_name(node)


def operator_sign(node: Node) -> str:
    """`/`, `@` where the author writes a sign, else as `operator_words`."""
    return _SIGNS.get(node.target) or operator_words(node) if callable(node.target) else operator_words(node)


def common_name(node: Node) -> str:
    """The name under which an operation goes, however it is called: `x.sum()`, `torch.sum(x)` → "sum"."""
    op = operator_of(node)
    if op is None:
        return node.op
    last = op.name.split(".")[0]
    return _SAME.get(last, last)


def _is_size(node: Node) -> bool:
    """Whether it is a tensor's size, or is computed from sizes alone."""
    if common_name(node) in _SIZES:
        return True
    return node.op.startswith("call_") and bool(node.all_input_nodes) and all(map(_is_size, node.all_input_nodes))


def _arguments(difference: Difference, pattern: Pattern, inputs: dict[Node, Any], naming: Naming) -> Words:
    wanted, found = difference.wanted, difference.found
    diffs = [_diff(slot, pattern, naming) for slot in difference.slots]
    for slot, diff in zip(difference.slots, diffs, strict=True):
        if isinstance(slot.pattern, Node) and slot.pattern in inputs:  # an input that would be two values
            diff["expected"] += f" (elsewhere the graph's {value_code(inputs[slot.pattern])})"
            diff["found"] = _shown(slot.graph, source_name)
    parts = [_argument_words(slot, diff) for slot, diff in zip(difference.slots, diffs, strict=True)]
    constant = all(_is_constant(slot) for slot in difference.slots)
    message = f"`{node_code(wanted, pattern.traced.name)}` differs from the graph's `{node_code(found)}`: "
    suggestion = f"write `{node_code(found, naming)}`"
    if constant and len(diffs) == 1:
        suggestion = f"the graph has {diffs[0]['found']} here: {suggestion}"
    return Words("constant" if constant else "argument", message + "; ".join(parts) + ".", suggestion, found, diffs)


def _crossed(difference: Difference, pattern: Pattern, naming: Naming) -> Words:
    wanted, found = difference.wanted, difference.found
    message = f"the operands of `{operator_sign(wanted)}` are swapped: the graph has `{node_code(found)}`."
    diffs = [_diff(slot, pattern, naming) for slot in difference.slots]
    return Words("argument", message, f"write `{node_code(found, naming)}`", found, diffs)


def _argument_words(slot: Slot, diff: ArgumentDiff) -> str:
    types = ""
    if not isinstance(slot.pattern, Node) and _equal_but_for_type(slot.pattern, slot.graph):
        types = f" ({type(slot.pattern).__name__} and {type(slot.graph).__name__} can give different dtypes)"
    constants = [pair for pair in leaves(slot) if not isinstance(pair[0], Node) and not same_constant(*pair)]
    inner = len(constants) in (1, 2) and not any(isinstance(value, Node) for pair in constants for value in pair)
    if inner and isinstance(slot.pattern, (tuple, list)) and not isinstance(constants[0][0], (tuple, list)):
        texts = dict.fromkeys(f"{value_code(one)} in the pattern and {value_code(other)} in the graph"
                              for one, other in constants)  # fmt: skip
        return f"{slot.name} has {', '.join(texts)}"
    return f"{slot.name} is {diff['expected']} in the pattern and {diff['found']} in the graph{types}"


def _equal_but_for_type(one: Any, other: Any) -> bool:
    numbers = (bool, int, float)
    return isinstance(one, numbers) and isinstance(other, numbers) and one == other and type(one) is not type(other)


def _is_constant(slot: Slot) -> bool:
    """Whether all that differs are constants on both sides."""
    differing = [pair for pair in leaves(slot) if not isinstance(pair[0], Node) and not same_constant(*pair)]
    return bool(differing) and not any(
        value is MISSING or any(True for _ in nodes_in([value])) for pair in differing for value in pair
    )


def _diff(slot: Slot, pattern: Pattern, naming: Naming) -> ArgumentDiff:
    return ArgumentDiff(
        argument=slot.name,
        expected=_shown(slot.pattern, pattern.traced.name),
        found=_shown(slot.graph, naming),
    )


def _shown(value: Any, naming: Naming) -> str:
    return "nothing" if value is MISSING else value_code(value, naming)


def _nothing(difference: Difference, expected: str, absent: str, pattern: Pattern, naming: Naming) -> Words:
    """The pattern goes on where the graph does not, or goes on with something else."""
    others = [node for node in difference.others if node.op != "output"]
    name = common_name(difference.wanted).rstrip("_")
    alike = [node for node in others if common_name(node).rstrip("_") == name]
    if alike:
        return _other_call(difference.wanted, alike[0], expected, absent, pattern, naming)
    uses = [pattern.traced.name(node) for node in difference.wanted.all_input_nodes]
    what = f"the pattern goes on with `{expected}`, and the graph does not"
    if others:
        instead = ", ".join(f"`{node_code(node)}`" for node in others[:3])
        return Words("operator", f"{what}: there `{'`, `'.join(uses)}` goes into {instead}{absent}", None, others[0])
    ends = "the value is returned there" if difference.others else "nothing more uses the value there"
    return Words("operator", f"{what}: {ends}{absent}", f"let the pattern end with `{'`, `'.join(uses)}`", None)


def _other_call(wanted: Node, found: Node, expected: str, absent: str, pattern: Pattern, naming: Naming) -> Words:
    """Another operator, or the same operation in another form."""
    suggestion = f"write `{node_code(found, naming)}`, as the graph does"
    if common_name(wanted) == common_name(found):
        differing = form_differences(wanted, found)
        diffs = [_diff(slot, pattern, naming) for slot in differing]
        also = "".join(f"; {_argument_words(slot, diff)}" for slot, diff in zip(differing, diffs, strict=True))
        only = "only the form differs: " if not differing else "the form differs: "
        message = f"{only}the pattern has `{expected}` where the graph has `{node_code(found)}`{also}."
        return Words("form", message, suggestion, found, diffs)
    place = f"the pattern has `{expected}` where the graph has `{node_code(found)}`"
    if common_name(wanted).rstrip("_") == common_name(found).rstrip("_"):
        who = "graph" if common_name(found).endswith("_") else "pattern"
        return Words("operator", f"{place}; the {who} does it in place.", suggestion, found)
    if operator_of(wanted) in map(operator_of, found.all_input_nodes):
        message = f"the graph goes on from `{expected}` with `{node_code(found)}`, which the pattern leaves out."
        return Words("operator", message, f"add `{node_code(found, naming)}` to the pattern", found)
    if operator_of(found) in map(operator_of, wanted.all_input_nodes):
        message = f"the graph has no `{expected}` after `{node_code(found)}`{absent}"
        return Words("operator", message, f"leave out `{expected}`", found)
    return Words("operator", f"{place}{absent}", suggestion, found)


def form_differences(wanted: Node, found: Node) -> list[Slot]:
    """Constants that differ besides the form, as far as both forms have the same parameters."""
    graph_bound = bind_concrete(found)
    pattern_bound = None if graph_bound is None else bind(wanted, graph_bound.signature)
    if pattern_bound is None:
        return []
    return [
        slot
        for slot in slots(wanted, found, pattern_bound, graph_bound)
        if any(not isinstance(one, Node) and not same_constant(one, other) for one, other in leaves(slot))
    ]
