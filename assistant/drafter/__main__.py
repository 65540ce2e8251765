"""`python -m assistant.drafter TASK_DIR --out PASS_DIR`: passes for a whole task, without any model."""

import argparse
import sys
from pathlib import Path

from assistant.drafter.draft import GraphFacts
from assistant.drafter.tasks import draft_task
from graphs.fx_source import FxGraph, parse
from graphs.problems import ReadProblem
from graphs.samples import Sample, is_sample, read_sample, read_task


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 when at least one pass was written, 1 when none could be, 2 for a task that can not be read."""
    parser = argparse.ArgumentParser(prog="python -m assistant.drafter", description=__doc__)
    parser.add_argument("task", type=Path, help="a task folder or a single sample")
    parser.add_argument("--out", type=Path, required=True, help="the pass_dir to write; files in it stay")
    options = parser.parse_args(arguments)
    try:
        samples = _samples(options.task)
        graphs = [(graph := parse(sample.source), facts_of(sample, graph)) for sample in samples]
    except ReadProblem as problem:
        print(problem, file=sys.stderr)
        return 2
    files, ranges = draft_task(graphs)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (options.out / name).write_text(text)
    for item in ranges:
        print(f"{samples[item.graph].name}: {item.draft.name}: {item.nodes[0]} … {item.nodes[-1]}")
    print(f"{len(files) - 1} passes for {len(samples)} graphs in {options.out}")
    return 0 if ranges else 1


def _samples(folder: Path) -> list[Sample]:
    if is_sample(folder):
        return [read_sample(folder)]
    return [read_sample(folder / name) for name in read_task(folder).graphs]


def facts_of(sample: Sample, graph: FxGraph) -> GraphFacts:
    """Shapes from the evaluator where torch is installed, else what the sample says about its inputs."""
    metas = {meta.name: meta for meta in (*sample.inputs, *sample.model_inputs)}
    devices = {name: meta.device for name, meta in metas.items()}
    values: dict[str, dict[str, object]] = {
        name: {"shape": list(meta.shape), "dtype": meta.dtype} for name, meta in metas.items()
    }
    try:
        from evaluator.engine.build import build
        from evaluator.engine.shapes import described_shapes

        known = described_shapes(build(graph), [metas[node.name] for node in graph.inputs])
        values = {name: dict(info) for name, info in known.items()} | values
    except (ImportError, KeyError):
        pass
    return GraphFacts(values, devices)


if __name__ == "__main__":
    sys.exit(main())
