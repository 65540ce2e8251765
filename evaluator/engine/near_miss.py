"""Why a pattern did not match: the nearest miss, structured for the page and in plain words for the log."""

from collections.abc import Callable
from typing import Any

from torch.fx import Node

from evaluator.engine.boundary import Placement, Refusal, explain, place
from evaluator.engine.match import MAX_PER_ANCHOR, Budget, Search, anchor
from evaluator.engine.near_miss_fix import as_the_graph, return_as_well
from evaluator.engine.near_miss_words import (
    common_name,
    describe_difference,
    form_differences,
    operator_sign,
    operator_words,
)
from evaluator.engine.normalise import commutes
from evaluator.engine.partial import Difference, Partial, is_ordered, largest_partial
from evaluator.engine.pattern import Match, Pattern
from evaluator.engine.printed import node_code, value_code
from evaluator.engine.view import GraphView, source_name
from evaluator.events import ArgumentDiff, Leak, NearMiss

_STEPS = 15_000  # for each of the two searches that look for almost-matches


def nearest_miss(pass_name: str, pattern: Pattern, view: GraphView, commutative: bool = False) -> NearMiss:
    """The largest partial match of a pattern that has no match, and the first thing that keeps it from being whole."""
    refused = _refused(pattern, view, commutative)
    if refused is not None:
        return _of_refusal(pass_name, pattern, *refused)
    if not commutative:
        swapped = _swapped(pattern, view)
        if swapped is not None:
            return _of_swap(pass_name, pattern, swapped)
    crossed = _crossed(pattern, view, commutative)
    if crossed is not None:
        return _of_swap(pass_name, pattern, crossed)
    partial = largest_partial(pattern, view, commutative)
    if partial is None or len(_absent(pattern, view)) * 2 > len(pattern):
        other_form = _in_another_form(pattern, view)
        if other_form is not None:
            return _of_form(pass_name, pattern, view, partial, *other_form)
        return _of_absence(pass_name, pattern, view, partial)
    return _of_partial(pass_name, pattern, view, partial)


def _refused(pattern: Pattern, view: GraphView, commutative: bool) -> tuple[Match, Refusal] | None:
    """A match in every node and argument that may not be replaced; the one with the fewest leaks."""
    found: list[tuple[Match, Refusal]] = []
    for match in _searched(pattern, view, commutative, prune=False):
        verdict = place(pattern, match, view)
        if isinstance(verdict, Refusal):
            found.append((match, verdict))
    return min(found, key=lambda item: len(item[1].leaks), default=None)


def _swapped(pattern: Pattern, view: GraphView) -> Match | None:
    for match in _searched(pattern, view, commutative=True, prune=True):
        if isinstance(place(pattern, match, view), Placement):
            return match
    return None


def _crossed(pattern: Pattern, view: GraphView, commutative: bool) -> Match | None:
    """A match with the operands of one operator in the other order, where the order counts."""
    for node in filter(is_ordered, pattern.nodes):
        for match in _searched(pattern, view, commutative, prune=True, crossed=node):
            if isinstance(place(pattern, match, view), Placement):
                return match
    return None


def _searched(
    pattern: Pattern, view: GraphView, commutative: bool, prune: bool, crossed: Node | None = None
) -> list[Match]:
    budget = Budget(_STEPS)
    start = anchor(pattern, view)
    found: list[Match] = []
    for candidate in view.candidates(pattern.operators[start]):
        for match in Search(pattern, view, budget, commutative, prune, crossed).at(start, candidate):
            found.append(match)
            if len(found) >= MAX_PER_ANCHOR:
                return found
            break
    return found


# --- each kind of miss ---


def _of_refusal(pass_name: str, pattern: Pattern, match: Match, refusal: Refusal) -> NearMiss:
    back = {found: wanted for wanted, found in match.nodes.items()}
    naming = pattern.traced.name
    first = next(iter(refusal.leaks), None) or (refusal.hazard.inside if refusal.hazard else refusal.path[0])
    suggestion = None
    if refusal.leaks:
        returned = ", ".join(f"`{naming(back[node])}`" for node in refusal.leaks)
        suggestion = f"return {returned} as well, from the pattern and from the launcher"
    elif refusal.path:
        between = ", ".join(f"`{node_code(node)}`" for node in refusal.path if node not in back)
        suggestion = f"let the pattern include {between}, or end before it"
    elif refusal.hazard is not None:
        suggestion = _hazard_suggestion(refusal, back, pattern)
    miss = _miss(pass_name, pattern, "leak" if refusal.kind == "cycle" else refusal.kind, explain(refusal), suggestion)
    _set_nodes(miss, pattern, back.get(first), first)
    miss["leaks"] = [
        Leak(node=source_name(node), pattern_node=naming(back[node]), users=[source_name(user) for user in users])
        for node, users in refusal.leaks.items()
    ]
    miss["matched"] = [(naming(wanted), source_name(found)) for wanted, found in match.nodes.items()]
    if refusal.leaks:
        miss["fixes"] = return_as_well(pattern, [back[node] for node in refusal.leaks])
    return miss


def _hazard_suggestion(refusal: Refusal, back: dict[Node, Node], pattern: Pattern) -> str | None:
    assert refusal.hazard is not None
    inside, other = refusal.hazard.inside, refusal.hazard.other
    wanted = back.get(inside)
    differs = wanted is not None and inside.target is not wanted.target and wanted.op == inside.op == "call_function"
    if differs and other.op == "placeholder":  # anyone else who sees the change would still do so
        return f"write `{node_code(inside, _as_pattern(back, pattern))}`, as the graph does"
    if other not in back and other.op not in ("placeholder", "output"):
        return f"let the pattern include `{node_code(other)}`, or end before it"
    return None


def _of_swap(pass_name: str, pattern: Pattern, match: Match) -> NearMiss:
    back = {found: wanted for wanted, found in match.nodes.items()}
    node = next((node for node in match.swapped if is_ordered(node)), match.swapped[0])
    wanted = back[node]
    code = node_code(node, _as_pattern(back, pattern, match.inputs))
    where = _where(pattern, wanted)
    if commutes(wanted, node):
        message = f"Only the order of operands differs: {where}the graph has `{node_code(node)}`."
        suggestion = f"write `{code}`, or set `commutative = True` in the pass's file to accept either order"
    else:
        place_of = f" {where.rstrip()}" if where else ""
        message = f"The operands of `{operator_sign(wanted)}` are swapped{place_of}: the graph has `{node_code(node)}`."
        suggestion = f"write `{code}`"
    miss = _miss(pass_name, pattern, "argument", message, suggestion)
    _set_nodes(miss, pattern, wanted, node)
    miss["differences"] = [
        ArgumentDiff(
            argument=f"operand {index + 1}",
            expected=value_code(wanted.args[index], pattern.traced.name),
            found=value_code(node.args[index], _as_pattern(back, pattern, match.inputs)),
        )
        for index in range(2)
    ]
    swapped = set(match.swapped)
    miss["matched"] = [(pattern.traced.name(w), source_name(f)) for w, f in match.nodes.items() if f not in swapped]
    miss["fixes"] = as_the_graph(pattern, wanted, node, _laid(back, match.inputs), "form")
    return miss


def _of_absence(pass_name: str, pattern: Pattern, view: GraphView, partial: Partial | None) -> NearMiss:
    calls = dict.fromkeys(f"`{operator_words(node)}`" for node in _absent(pattern, view))
    some = "none" if partial is None else "hardly any"
    message = f"The graph has {some} of the pattern's operators: it never has {', '.join(calls)}."
    miss = _miss(pass_name, pattern, "absent", message, None)
    _set_nodes(miss, pattern, _absent(pattern, view)[0], None)
    if partial is not None:
        miss["matched"] = _agreeing(pattern, partial)
    return miss


def _of_form(
    pass_name: str, pattern: Pattern, view: GraphView, partial: Partial | None, wanted: Node, found: Node
) -> NearMiss:
    """Most of the pattern is written in another way than the graph: say so at its first call."""
    pairs = zip(wanted.all_input_nodes, found.all_input_nodes, strict=False)
    inputs = {one: other for one, other in pairs if one.op == "placeholder"}
    naming = _as_pattern({found: wanted}, pattern, inputs)
    words = describe_difference(Difference(wanted, found), pattern, view, inputs, naming)
    message = f"{_where(pattern, wanted)}{words.message}"
    others = [node for node in _absent(pattern, view) if node is not wanted]
    if others:
        calls = dict.fromkeys(f"`{operator_words(node)}`" for node in others)
        message += f" The graph never has {', '.join(calls)} either."
    miss = _miss(pass_name, pattern, words.kind, message[0].upper() + message[1:], words.suggestion)
    _set_nodes(miss, pattern, wanted, found)
    miss["differences"] = words.differences
    miss["matched"] = [] if partial is None else _agreeing(pattern, partial)
    return miss


def _in_another_form(pattern: Pattern, view: GraphView) -> tuple[Node, Node] | None:
    """The first pattern node whose operator the graph never calls, and a call of the same operation in another form.

    Of several the one whose constants agree. None where most of what is missing has no such call.
    """
    absent = _absent(pattern, view)
    alike: dict[str, list[Node]] = {}
    for node in view.operators:
        alike.setdefault(common_name(node), []).append(node)
    known = [node for node in absent if common_name(node) in alike]
    if not known or len(known) * 2 < len(absent):
        return None
    wanted = known[0]
    found = alike[common_name(wanted)]
    return wanted, min(found[:MAX_PER_ANCHOR], key=lambda node: len(form_differences(wanted, node)))


def _absent(pattern: Pattern, view: GraphView) -> list[Node]:
    """Pattern nodes whose operator the graph never calls."""
    return [node for node in pattern.nodes if not view.by_operator.get(pattern.operators[node])]


def _agreeing(pattern: Pattern, partial: Partial) -> list[tuple[str, str]]:
    pairs = sorted(partial.agreeing(), key=lambda pair: pattern.order[pair[0]])
    return [(pattern.traced.name(wanted), source_name(found)) for wanted, found in pairs]


def _of_partial(pass_name: str, pattern: Pattern, view: GraphView, partial: Partial) -> NearMiss:
    back = {found: wanted for wanted, found in partial.nodes.items()}
    inputs = dict(partial.inputs)
    for difference in partial.differences.values():
        wanted = difference.wanted
        name = common_name(wanted).rstrip("_")
        alike = [node for node in difference.others if common_name(node).rstrip("_") == name]
        for found in [difference.found] if isinstance(difference.found, Node) else alike[:1]:
            back.setdefault(found, wanted)
            pairs = zip(wanted.all_input_nodes, found.all_input_nodes, strict=False)
            for one, other in pairs:  # what inputs of a call in another form would be
                if one.op == "placeholder":
                    inputs.setdefault(one, other)
    naming = _as_pattern(back, pattern, inputs)
    matched = _agreeing(pattern, partial)
    first = _first(pattern, partial)
    if first is None:  # every node agrees by itself and together they do not: two would be one node of the graph
        message = "Every node of the pattern is in the graph, but not together."
        miss = _miss(pass_name, pattern, "argument", message, None)
        miss["matched"] = matched
        return miss
    words = describe_difference(first, pattern, view, partial.inputs, naming)
    others = len(partial.differences) - 1
    message = f"{_where(pattern, first.wanted)}{words.message} {len(matched)} of {len(pattern)} nodes match"
    message += f"; {others} more {'differs' if others == 1 else 'differ'}." if others else "."
    miss = _miss(pass_name, pattern, words.kind, message[0].upper() + message[1:], words.suggestion)
    _set_nodes(miss, pattern, first.wanted, words.graph_node)
    miss["differences"] = words.differences
    miss["matched"] = matched
    says_so = "write `" in words.suggestion if words.suggestion is not None else len(first.others) == 1
    if words.graph_node is not None and says_so:
        laid = _laid(back, inputs)
        kind = "constant" if words.kind == "constant" else "form"
        miss["fixes"] = as_the_graph(pattern, first.wanted, words.graph_node, laid, kind, words.differences)
    return miss


def _first(pattern: Pattern, partial: Partial) -> Difference | None:
    """The difference that the author meets first; where the graph has nothing at all comes after the others."""
    return min(
        partial.differences.values(),
        key=lambda difference: (difference.found is None, pattern.order[difference.wanted]),
        default=None,
    )


# --- parts ---


def _miss(pass_name: str, pattern: Pattern, kind: str, message: str, suggestion: str | None) -> NearMiss:
    return NearMiss(
        pass_name=pass_name,
        kind=kind,
        message=message,
        suggestion=suggestion,
        pattern_node=None,
        pattern_code=None,
        graph_node=None,
        graph_code=None,
        differences=[],
        leaks=[],
        matched=[],
        pattern_size=len(pattern),
    )


def _set_nodes(miss: NearMiss, pattern: Pattern, wanted: Node | None, found: Node | None) -> None:
    if wanted is not None:
        miss["pattern_node"] = pattern.traced.name(wanted)
        miss["pattern_code"] = node_code(wanted, pattern.traced.name)
    if found is not None:
        miss["graph_node"] = source_name(found)
        miss["graph_code"] = node_code(found)


def _where(pattern: Pattern, wanted: Node) -> str:
    line = pattern.traced.lines.get(wanted)
    return f"in line {line} " if line else ""


def _as_pattern(
    back: dict[Node, Node], pattern: Pattern, inputs: dict[Node, Any] | None = None
) -> Callable[[Node], str]:
    """Names for graph nodes in the author's words, where the pattern has one for them."""
    names = {found: pattern.traced.name(wanted) for found, wanted in back.items()}
    for wanted, found in (inputs or {}).items():
        if isinstance(found, Node):
            names.setdefault(found, pattern.traced.name(wanted))
    return lambda node: names.get(node) or source_name(node)


def _laid(back: dict[Node, Node], inputs: dict[Node, Any]) -> dict[Node, Node]:
    """Graph nodes and the pattern nodes, inputs included, that are laid on them."""
    return {found: wanted for wanted, found in inputs.items() if isinstance(found, Node)} | back
