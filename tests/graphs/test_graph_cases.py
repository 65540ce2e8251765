"""Every outside task: read, parsed, printed back, drawn, written and read again. Needs PASSNET_CASES."""

import os
from pathlib import Path

import pytest

from graphs.fx_source import parse, to_source
from graphs.graph_json import graph_json
from graphs.layout import layout
from graphs.samples import find_samples, read_sample, read_task, sample_from_json, sample_to_json, write_sample

_TASKS = sorted((Path(os.environ["PASSNET_CASES"]) / "cases" / "tasks").iterdir())
pytestmark = pytest.mark.cases


@pytest.mark.parametrize("folder", _TASKS, ids=lambda folder: folder.name)
def test_a_task(folder: Path, tmp_path: Path) -> None:
    task = read_task(folder)
    assert sorted(task.path / name for name in task.graphs) == list(find_samples(folder))
    sequences = set()
    for name in task.graphs:
        sample = read_sample(folder / name)
        assert sample.warnings == ()
        graph = parse(sample.source, str(folder / name / "model.py"))
        assert parse(to_source(graph)) == graph
        sequences.add(tuple((node.op, node.target) for node in graph.nodes))
        assert [node.name for node in graph.inputs] == [meta.name for meta in sample.inputs]
        assert len(graph_json(graph, layout(graph), None)["nodes"]) == len(graph.nodes) - len(graph.inputs)
        assert sample_from_json(sample_to_json(sample)) == sample
        write_sample(sample, tmp_path / sample.name)
        again = read_sample(tmp_path / sample.name)
        assert (again.source, again.inputs, again.graph_net) == (sample.source, sample.inputs, sample.graph_net)
    assert len(sequences) == 1  # the graphs of a task differ in shapes and dtypes only
