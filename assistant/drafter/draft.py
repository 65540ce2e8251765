"""A pass file from a graph and a selection of its nodes."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assistant.drafter.infer import inferred
from assistant.drafter.kernel_text import KernelText
from assistant.drafter.launcher import kernel_lines, launcher_text
from assistant.drafter.lower import Learned, Lowering, Tensor
from assistant.drafter.names import file_stem, function_name, readable_names
from assistant.drafter.passfile import original_launcher, pass_file
from assistant.drafter.plan import plan_kernels
from assistant.drafter.refusals import NoKernel
from assistant.drafter.results import renamed, results_of
from assistant.drafter.selection import Selection, select
from assistant.drafter.sizes import Facts, Size
from graphs.fx_source import FxGraph

Known = Mapping[str, Mapping[str, object]]
MAX_NODES = 150
# What arguments that nobody thought of lead to: graphs come from anybody.
_ODD = (RecursionError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, AssertionError)


@dataclass(frozen=True)
class GraphFacts:
    """What is known of the values of one graph: name → {"shape": [..] | None, "dtype": "float32" | None}, and where
    its inputs lie: name → "cuda:0"."""

    values: Known
    devices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Draft:
    """A pass file. `kind`: "kernel", "views" (nothing is computed) or "original" (the operators themselves, to be
    replaced by hand). `leaks`: outputs that the selection itself uses, too."""

    name: str
    text: str
    kind: str
    outputs: tuple[str, ...]
    leaks: tuple[str, ...]
    notes: tuple[str, ...]
    in_the_way: str = ""  # the first node that no kernel is written for, if it is one
    kernels: int = 0  # that the launcher launches


def draft(
    graph: FxGraph, nodes: Collection[str], facts: GraphFacts, others: Sequence[tuple[FxGraph, GraphFacts]] = ()
) -> Draft:
    """A pass that replaces the nodes. `others`: the task's other graphs, so that the draft fits those of them that its
    pattern will match. Raises CannotBePattern, and KeyError for a name that is not in the graph."""
    chosen = select(graph, nodes, facts.devices)
    facts = _completed(graph, chosen, facts)
    others = [(other, _completed(other, chosen, known)) for other, known in others]
    names = readable_names(chosen, graph)
    variants = [facts, *_alike(graph, chosen, facts, others)]
    notes = _notes(chosen)
    in_the_way = ""
    try:
        if len(chosen.nodes) > MAX_NODES:
            raise NoKernel(f"{len(chosen.nodes)} operators are more than the {MAX_NODES} that a kernel is drafted for")
        made, kind = _with_kernels(chosen, names, variants)
        if _is_of_one_rank(made) and (elsewhere := _of_other_ranks(chosen, facts, others)):
            notes.append(
                f"The same lines stand in {elsewhere} of the other graphs with another number of dimensions: the "
                "pattern matches there, too, and the launcher ends with a ValueError. Draft there as well, and let one "
                "launcher choose by `ndim`."
            )
    except NoKernel as problem:
        where = f" (`{problem.node}`)" if problem.node else ""
        notes.append(
            f"No kernel was written: {problem.why}{where}. The launcher runs the original operators, which the "
            "integrity check rejects: write a kernel where its TODO stands."
        )
        made, kind = original_launcher(chosen, names, function_name(chosen), problem.why), "original"
        in_the_way = next((name for name, shown in names.items() if shown == problem.node), "")
    if kind == "views":
        notes.append("Nothing is computed here: the launcher returns views, and no kernel is launched.")
    return Draft(
        f"{file_stem(chosen)}.py", pass_file(chosen, names, made, function_name(chosen)), kind, chosen.outputs,
        chosen.leaks, tuple(notes), in_the_way, made.count("@triton.jit") if kind == "kernel" else 0,
    )  # fmt: skip


def _completed(graph: FxGraph, chosen: Selection, facts: GraphFacts) -> GraphFacts:
    """With the shapes of what goes in, where they can be told."""
    if all(facts.values.get(name, {}).get("shape") is not None for name in chosen.inputs):
        return facts
    return GraphFacts(inferred(graph, facts.values), facts.devices)


def _notes(chosen: Selection) -> list[str]:
    notes: list[str] = []
    if chosen.left_out:
        notes.append(f"Left out, as they are no operators: {_list(chosen.left_out)}.")
    if chosen.leaks:
        notes.append(f"Used outside of the selection as well, and so returned: {_list(chosen.leaks)}.")
    return notes


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _alike(
    graph: FxGraph, chosen: Selection, facts: GraphFacts, others: Sequence[tuple[FxGraph, GraphFacts]]
) -> list[GraphFacts]:
    """The other graphs in which the same lines stand. One with other ranks counts by its dtypes: a kernel over all
    elements is launched for it, too, and has to round."""
    found = []
    ranks = [_rank(facts, name) for name in chosen.inputs]
    for other, known in others:
        if known.values == facts.values or not _stands_in(other, chosen):
            continue
        if [_rank(known, name) for name in chosen.inputs] == ranks:
            found.append(known)
        else:
            found.append(GraphFacts(_with_dtypes(facts.values, known.values)))
    return found


def _stands_in(graph: FxGraph, chosen: Selection) -> bool:
    return all(graph.by_name.get(node.name) == node for node in chosen.nodes)


def _of_other_ranks(chosen: Selection, facts: GraphFacts, others: Sequence[tuple[FxGraph, GraphFacts]]) -> int:
    """In how many of the other graphs the same lines stand with inputs that have other ranks."""
    ranks = [_rank(facts, name) for name in chosen.inputs]
    found = ([_rank(known, name) for name in chosen.inputs] for other, known in others if _stands_in(other, chosen))
    return sum(None not in theirs and theirs != ranks for theirs in found)


def _is_of_one_rank(made: Sequence[str]) -> bool:
    """Whether the launcher takes a shape apart, or compares it with one. A kernel over all elements does neither."""
    return any(re.search(r"= \w+\.shape\b(?!\[)|of the shape \(", line) for line in made)


def _with_dtypes(shapes: Known, dtypes: Known) -> Known:
    return {name: {**value, "dtype": dtypes.get(name, value).get("dtype")} for name, value in shapes.items()}


def _rank(facts: GraphFacts, name: str) -> int | None:
    shape = facts.values.get(name, {}).get("shape")
    return len(shape) if isinstance(shape, (list, tuple)) else None


def _with_kernels(chosen: Selection, names: Mapping[str, str], variants: Sequence[GraphFacts]) -> tuple[list[str], str]:
    """The lines from the kernels to the launcher. For all graphs at once if that can be, else for the first alone."""
    problem: NoKernel | None = None
    for graphs in [variants, variants[:1]] if len(variants) > 1 else [variants]:
        try:
            return _for_graphs(chosen, names, graphs)
        except NoKernel as error:
            problem = problem or error
        except _ODD:
            problem = problem or NoKernel("an argument has a form that the drafter does not know")
    assert problem is not None
    raise problem


def _for_graphs(chosen: Selection, names: Mapping[str, str], variants: Sequence[GraphFacts]) -> tuple[list[str], str]:
    """Again and again, with the sizes bound that the last attempt found to be equal, or relied on."""
    learned = Learned()
    for _ in range(16):
        low = _lowered(chosen, names, variants, learned)
        lines, kind = _lines(low, chosen, names)
        needed = {name for pinned in low.facts.pinned for name in low.behind(Size(1, (pinned,)))} - set(low.derived)
        for name in needed:
            values = set(low.facts.values[name])
            if len(values) != 1:
                raise NoKernel("a size that has to be written out differs between the graphs of the task")
            learned.bound[name] = Size(values.pop())
        if not needed and not low.news:
            return lines, kind
    raise NoKernel("the sizes of the selection do not settle")


def _lines(low: Lowering, chosen: Selection, names: Mapping[str, str]) -> tuple[list[str], str]:
    stored, results = results_of(low, chosen, names)
    name = function_name(chosen)
    kernels: list[KernelText] = plan_kernels(low, stored, name, {*names.values()}) if stored else []
    lines: list[str] = []
    for kernel in kernels:
        lines += [*kernel_lines(kernel), "", ""]
    parameters = [names[x] for x in chosen.inputs]
    lines += launcher_text(low, name, parameters, kernels, stored, results)
    return lines, "kernel" if kernels else "views"


def _lowered(chosen: Selection, names: Mapping[str, str], variants: Sequence[GraphFacts], learned: Learned) -> Lowering:
    known = {names.get(name, name): _tensor(variants, name) for name in (*chosen.inputs, *names)}
    for _ in range(30):
        low = Lowering(Facts(variants=len(variants)), known, learned)
        for name in chosen.inputs:
            if _is_tensor(variants[0], name):
                low.add_input(names[name])
        for node in chosen.nodes:
            low.read(renamed(node, names))
        if not low.news:
            return low
    raise NoKernel("the sizes of the selection do not settle")


def _is_tensor(facts: GraphFacts, name: str) -> bool:
    known = facts.values.get(name)
    return known is None or known.get("dtype") is not None


def _tensor(variants: Sequence[GraphFacts], name: str) -> Tensor | None:
    found = [variant.values.get(name, {}) for variant in variants]
    shapes = [known.get("shape") for known in found]
    dtypes = [known.get("dtype") for known in found]
    if not all(isinstance(shape, (list, tuple)) for shape in shapes) or not all(isinstance(d, str) for d in dtypes):
        return None
    return Tensor(tuple(tuple(map(int, shape)) for shape in shapes), tuple(map(str, dtypes)))  # type: ignore[call-overload,arg-type]
