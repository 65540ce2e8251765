"""Matches of every acceptance submission on the graphs of its task, the large ones too (nothing is run).

Graphs that differ only in shapes and dtypes have one text, which is all that matching reads.
"""

import json
import os
from pathlib import Path

import pytest
import torch

from evaluator.engine.build import build
from evaluator.engine.load import BadSubmission, load_submission, unload
from evaluator.engine.passes import apply_passes
from evaluator.engine.printed import rewritten_source, to_fx_graph
from evaluator.measure import primitives
from graphs.fx_source import parse
from graphs.samples import read_sample

CASES = Path(os.environ["PASSNET_CASES"], "cases") if os.environ.get("PASSNET_CASES") else None


def submissions():
    """(submission folder, its expectation, text of a graph, entries of the graphs with that text)."""
    for folder in sorted((CASES / "submissions").iterdir()) if CASES else []:
        expected = json.loads((folder / "expected.json").read_text())
        by_text: dict[str, list[tuple[str, dict]]] = {}
        for graph, entry in expected["per_graph"].items():
            text = (CASES / "tasks" / expected["task"] / "graphs" / graph / "model.py").read_text()
            by_text.setdefault(text, []).append((graph, entry))
        for text, graphs in by_text.items():
            entries = [entry for _, entry in graphs]
            yield pytest.param(folder, expected, text, entries, id=f"{folder.name}-{graphs[0][0]}")


@pytest.fixture(autouse=True)
def _forget_submissions(monkeypatch):
    """Exploits are loaded as well, without a guard: what they replace is put back with what monkeypatch remembers."""
    for holder, name in primitives.WATCHED:
        monkeypatch.setattr(holder, name, getattr(holder, name))
    yield
    unload()


@pytest.mark.cases
@pytest.mark.parametrize(("folder", "expected", "text", "entries"), submissions())
def test_matches(folder, expected, text, entries):
    if expected["kind"] == "bad_submission":
        with pytest.raises(BadSubmission):
            load_submission(folder / "pass_dir")
        return
    applied = apply_passes(build(parse(text)), load_submission(folder / "pass_dir"))
    for entry in entries:
        if entry["status"] != "rejected":
            assert applied.matches == entry["matches"]
        for name, matches in entry.get("matches_per_pass", {}).items():
            if name in applied.per_pass:  # the table also holds figures of a GPU
                assert applied.per_pass[name] == matches
    assert {miss["pass_name"] for miss in applied.near_misses} == {
        name for name, matches in applied.per_pass.items() if not matches
    }
    assert parse(rewritten_source(applied.module)) == to_fx_graph(applied.module)
    assert set(applied.new_nodes) <= {node.meta["source_name"] for node in applied.module.graph.nodes}


def near_miss(name, task_graph):
    expected = json.loads((CASES / "submissions" / name / "expected.json").read_text())
    sample = read_sample(CASES / "tasks" / expected["task"] / "graphs" / task_graph)
    (found,) = apply_passes(
        build(parse(sample.source)), load_submission(CASES / "submissions" / name / "pass_dir")
    ).near_misses
    return found


@pytest.mark.cases
@pytest.mark.skipif(CASES is None, reason="PASSNET_CASES is not set")
def test_nearest_misses_say_why():
    hidden = near_miss("fail_nomatch_hidden_output", "rmp_f32_2x8x8")
    assert (hidden["kind"], hidden["graph_node"]) == ("leak", "tmp_1")
    assert hidden["suggestion"] == "return `tmp_1` as well, from the pattern and from the launcher"
    wrong = near_miss("fail_nomatch_wrong_op", "mmp_f32_2x16x64")
    assert wrong["kind"] == "operator"
    assert wrong["suggestion"] == "write `tmp_1 = torch.sum(tmp_0, 1)`, as the graph does"
    partial = near_miss("ok_add_norm_partial", "and_f32_3x10x96")
    assert partial["kind"] == "constant"
    assert partial["differences"] == [{"argument": "normalized_shape", "expected": "(64,)", "found": "(96,)"}]


@pytest.mark.cases
@pytest.mark.parametrize("folder", sorted((CASES / "tasks").iterdir()) if CASES else [], ids=lambda path: path.name)
def test_graphs_are_built_as_they_are_written(folder):
    for path in sorted((folder / "graphs").iterdir()):
        parsed = parse(read_sample(path).source)
        module = build(parsed)
        assert to_fx_graph(module) == parsed
        assert isinstance(module, torch.fx.GraphModule)
