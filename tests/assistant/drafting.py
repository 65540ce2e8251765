"""Drafts tried in this process: the pattern run eagerly against the launcher under Triton's interpreter."""

import importlib.util
import sys
import tempfile
from pathlib import Path

import torch

from assistant.drafter import Draft, GraphFacts, draft
from evaluator.engine import interpreter
from evaluator.engine.build import build
from evaluator.engine.inputs import replay
from evaluator.engine.shapes import described_shapes
from graphs.fx_source import parse
from graphs.samples import read_sample, read_task

interpreter.enable()

# torch's own tolerances for tests, which are the score's at t = -5
TOLERANCES = {"float16": (1e-5, 1e-3), "bfloat16": (1e-5, 1.6e-2), "float32": (1e-5, 1.3e-6), "float64": (1e-7, 1e-7)}


def facts_of(graph, metas):
    """What the workbench stores of a graph: shapes and dtypes of all nodes, devices of the inputs."""
    by_name = {meta.name: meta for meta in metas}
    shapes = described_shapes(build(graph), [by_name[node.name] for node in graph.inputs])
    return GraphFacts(shapes, {meta.name: meta.device for meta in metas})


def task_graphs(folder):
    """(sample, graph, facts) of the task's graphs that are small enough to interpret."""
    found = []
    for name in read_task(folder).graphs:
        sample = read_sample(folder / name)
        if not is_small(sample):
            continue
        graph = parse(sample.source)
        found.append((sample, graph, facts_of(graph, (*sample.inputs, *sample.model_inputs))))
    return found


def is_small(sample):
    """Whether Triton's interpreter is quick enough for it."""
    return sum(torch.Size(meta.shape).numel() for meta in (*sample.inputs, *sample.model_inputs)) <= 60_000


def drafted(source, shapes, dtype="float32", nodes=None, dtypes=None):
    """A draft for the body of a forward: `shapes` are those of in_0, in_1, …; without `nodes` for all of it."""
    from graphs.metas import TensorMeta

    names = [f"in_{index}" for index in range(len(shapes))]
    body = "\n".join(f"        {line.strip()}" for line in source.strip().splitlines())
    text = f"import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, {', '.join(names)}):\n{body}\n"
    metas = [
        TensorMeta(
            name, tuple(shape), (dtypes or {}).get(name, dtype), mean=0.3, std=5.0, min_val=minimum(dtypes, name)
        )
        for name, shape in zip(names, shapes, strict=True)
    ]
    graph = parse(text)
    return draft(graph, nodes or [node.name for node in graph.nodes], facts_of(graph, metas)), metas


def minimum(dtypes, name):
    return 0 if (dtypes or {}).get(name, "").startswith("int") else None


def load(made: Draft):
    """The draft as a module."""
    folder = Path(tempfile.mkdtemp(prefix="draft-"))
    path = folder / made.name
    path.write_text(made.text)
    spec = importlib.util.spec_from_file_location(f"draft_{id(made)}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def difference(made: Draft, inputs):
    """None where the launcher's results agree with the pattern's at t = -5, else what is wrong."""
    module = load(made)
    copies = [value.clone() if isinstance(value, torch.Tensor) else value for value in inputs]
    with torch.no_grad():
        wanted = module.pattern(*copies)
    found = module.replacement_func()(*module.replacement_args(*inputs))
    wanted, found = (value if isinstance(value, tuple) else (value,) for value in (wanted, found))
    if len(wanted) != len(found):
        return f"{len(found)} results instead of {len(wanted)}"
    for index, (a, b) in enumerate(zip(wanted, found, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {index} is {b.dtype} {tuple(b.shape)} instead of {a.dtype} {tuple(a.shape)}"
        atol, rtol = TOLERANCES.get(str(a.dtype).removeprefix("torch."), (0, 0))
        if not torch.allclose(a.double(), b.double(), atol=atol, rtol=rtol, equal_nan=True):
            worst = (a.double() - b.double()).abs().max().item()
            return f"result {index} is off by up to {worst}"
    return None


class _Recorder(torch.fx.Interpreter):
    def run_node(self, n):
        value = super().run_node(n)
        # A later operator may change it in place.
        self.values[n.name] = value.clone() if isinstance(value, torch.Tensor) else value
        return value


def values_of(graph, metas, seed=0):
    """What every node of the graph computes, on inputs like the task's own."""
    by_name = {meta.name: meta for meta in metas}
    inputs = replay([by_name[node.name] for node in graph.inputs], seed)
    recorder = _Recorder(build(graph))
    recorder.values = {}
    with torch.no_grad():
        recorder.run(*inputs)
    return recorder.values


def check(source, shapes, **more):
    """Drafts for a whole body, and runs it. The draft, for more to be said about it."""
    made, metas = drafted(source, shapes, **more)
    assert made.kind == "kernel", made.notes
    by_name = dict(zip([meta.name for meta in metas], replay(metas, 0), strict=True))
    assert difference(made, [by_name[name] for name in arguments(made)]) is None, made.text
    return made


def arguments(made):
    line = next(line for line in made.text.splitlines() if line.startswith("def pattern("))
    return [name.strip() for name in line[len("def pattern(") : -2].split(",") if name.strip()]
