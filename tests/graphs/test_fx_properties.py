"""Properties of reading and printing: nothing is lost, and nothing changes its meaning."""

import ast
from typing import Any

import torch
from fx_programs import graphs, running_programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.fx_source import FxGraph, ReadProblem, Span, parse, to_source
from graphs.operators import operator_name

_SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)


def exact(graph: FxGraph) -> list[Any]:
    """A graph as texts, so that 1, 1.0 and True differ and nan equals itself."""
    return [
        (node.name, node.op, node.target, repr(node.args), repr(node.kwargs), node.annotation) for node in graph.nodes
    ]


@_SLOW
@given(graphs())
def test_every_graph_prints_to_text_that_reads_back_as_the_same_graph(graph: FxGraph) -> None:
    text = to_source(graph)
    again = parse(text)
    assert exact(again) == exact(graph)
    assert again == graph
    assert to_source(again) == text


@_SLOW
@given(running_programs())
def test_every_program_survives_parse_print_parse(source: str) -> None:
    graph = parse(source)
    again = parse(to_source(graph))
    assert exact(again) == exact(graph)
    assert again == graph


@_SLOW
@given(running_programs())
def test_the_printed_module_computes_the_same(source: str) -> None:
    expected = run(source)
    found = run(to_source(parse(source)))
    assert type(expected) is type(found)
    if isinstance(expected, Exception):  # shapes that do not fit do not fit in the printed module either
        return
    assert len(expected) == len(found)
    for one, other in zip(expected, found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)


@_SLOW
@given(running_programs())
def test_the_span_of_a_node_is_the_text_that_makes_it(source: str) -> None:
    for node in parse(source).nodes:
        assert node.span is not None
        text = text_at(source, node.span)
        if node.op == "placeholder":
            assert text.startswith(node.name)
        elif node.op == "output":
            assert text.startswith("return ")
        else:
            assert ast.parse(text if "=" in text or text.startswith("torch.") else f"({text})")
            assert node.target.startswith(("operator.", "getattr")) or operator_name(node) in text


@_SLOW
@given(running_programs(), st.data())
def test_damaged_text_is_read_or_refused_and_nothing_else(source: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(source)))
        stop = start + data.draw(st.integers(0, 12))
        new = data.draw(
            st.one_of(st.text(max_size=3), st.sampled_from(["(", "]", "'", '"""', "\\\n", "\n", ";", " ", "\t"]))
        )
        source = source[:start] + new + source[stop:]
    try:
        graph = parse(source)
    except ReadProblem as problem:
        lines = source.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 2
        assert problem.line is None or 1 <= problem.line <= lines
        return
    assert exact(parse(to_source(graph))) == exact(graph)


def text_at(source: str, span: Span) -> str:
    """The text of a span, cut as an editor does that counts in UTF-16 units."""
    lines = [line.encode("utf-16-le") for line in source.split("\n")[span.line - 1 : span.end_line]]
    lines[-1] = lines[-1][: 2 * span.end_column]
    lines[0] = lines[0][2 * span.column :]
    return "\n".join(line.decode("utf-16-le") for line in lines)


def run(source: str) -> Any:
    """What a program that this test wrote returns; the error instead when torch refuses it."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    draw = torch.Generator().manual_seed(0)
    inputs = [torch.randn(4, 4, generator=draw) for _ in range(2)]
    try:
        with torch.no_grad():
            return scope["GraphModule"]().forward(*inputs)
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return error
