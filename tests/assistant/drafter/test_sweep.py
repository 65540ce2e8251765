"""Every run of neighbouring operators of every small graph: drafted, and run on each graph that has the same lines."""

import os
from pathlib import Path

import pytest
from drafting import arguments, difference, task_graphs, values_of

from assistant.drafter import CannotBePattern, draft

pytestmark = pytest.mark.hostile
SHIPPED = Path(__file__).parents[3] / "graphs" / "data"
CASES = Path(os.environ.get("PASSNET_CASES", "/nowhere")) / "cases" / "tasks"
FOLDERS = [*sorted(SHIPPED.iterdir()), *(sorted(CASES.iterdir()) if CASES.is_dir() else [])]
LEFT_TO_PEOPLE = {"conv2d"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_range_is_right_or_refused_with_a_reason(folder):
    graphs = task_graphs(folder)
    values = [values_of(graph, (*sample.inputs, *sample.model_inputs)) for sample, graph, _ in graphs]
    for index, (_, graph, facts) in enumerate(graphs):
        others = [(other, known) for place, (_, other, known) in enumerate(graphs) if place != index]
        operators = [node.name for node in graph.nodes if node.op not in ("placeholder", "output")]
        for first in range(len(operators)):
            for last in range(first + 1, len(operators) + 1):
                nodes = operators[first:last]
                try:
                    made = draft(graph, nodes, facts, others)
                except CannotBePattern as problem:
                    assert problem.code in ("mutation", "not_convex")
                    continue
                if made.kind == "original":
                    assert graph.node(made.in_the_way).target.rpartition(".")[2] in LEFT_TO_PEOPLE, made.notes
                    continue
                for (_, other, known), found in zip(graphs, values, strict=True):
                    if all(other.by_name.get(name) == graph.by_name[name] for name in nodes) and same_ranks(
                        made, facts, known
                    ):
                        inputs = [found[name].clone() for name in arguments(made)]
                        assert difference(made, inputs) is None, (nodes, made.text)


def same_ranks(made, facts, known):
    return all(len(facts.values[name]["shape"]) == len(known.values[name]["shape"]) for name in arguments(made))
