"""The command line of the dataset: capture graphs from models, find duplicates, cut graphs into subgraphs.

Exit status: 0 done (what failed is listed), 1 nothing of it worked, 2 bad arguments.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

DONE, NOTHING, BAD_ARGUMENTS = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    status: int = options.command(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dataset", description="Graphs from models.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    capture = commands.add_parser("capture", help="capture the graphs of models as sample folders")
    capture.add_argument(
        "models",
        nargs="+",
        metavar="MODEL",
        help="module:factory, file.py:factory, timm/NAME, torchvision/NAME, transformers/TYPE?option=value, or @FILE",
    )
    capture.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the samples go")
    capture.add_argument("--train", action="store_true", help="also forward and backward graphs of training")
    capture.add_argument("--seed", type=int, default=0, metavar="N", help="seed of weights and inputs (default: 0)")
    capture.add_argument("--retry", action="store_true", help="try again what failed before")
    _add_limits(capture, "model", seconds=300.0, memory=8192)
    capture.set_defaults(command=_capture)

    dedupe = commands.add_parser("dedupe", help="find samples that are the same graph")
    dedupe.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples; DIR/dedupe.json is written")
    dedupe.add_argument("--json", action="store_true", help="the report on standard output")
    dedupe.set_defaults(command=_dedupe)

    decompose = commands.add_parser("decompose", help="cut graphs into subgraphs, below _decomposed/ of each")
    decompose.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    decompose.add_argument("--kind", required=True, choices=("single", "classical", "fusible"), help="how to cut")
    decompose.add_argument(
        "--window", type=int, default=64, metavar="N", help="fusible: longest prefix in operators, 0: all (default: 64)"
    )
    decompose.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="fusible: whose kernels are counted (default: cpu)"
    )
    decompose.add_argument("--resume", action="store_true", help="only what was not done before with these options")
    _add_limits(decompose, "graph", seconds=600.0, memory=8192)
    decompose.set_defaults(command=_decompose)

    check = commands.add_parser("check-kernels", help="compare counted kernels with those that Inductor generates")
    check.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    check.add_argument("--samples", type=int, default=200, metavar="N", help="ranges of operators (default: 200)")
    check.add_argument("--seed", type=int, default=0, metavar="N", help="which ranges (default: 0)")
    check.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="as of decompose (default: cpu)")
    check.add_argument("--launched", action="store_true", help="with those that the GPU is seen to launch")
    check.add_argument("--workers", type=int, default=1, metavar="N", help="--launched: processes (default: 1)")
    check.add_argument("--json", action="store_true", help="one JSON object a line for each range, then the sums")
    check.set_defaults(command=_check_kernels)

    vary = commands.add_parser("vary", help="other shapes and dtypes of samples, verified by running")
    vary.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    vary.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the tree of variants goes")
    vary.add_argument("--variants", type=int, default=10, metavar="N", help="shapes, the own included (default: 10)")
    vary.add_argument("--whole", action="store_true", help="also whole graphs, which were not cut from another")
    _add_limits(vary, "sample", seconds=300.0, memory=8192)
    vary.set_defaults(command=_vary)

    group = commands.add_parser("group", help="group samples into tasks")
    group.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    group.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the task folders go")
    group.add_argument("--json", action="store_true", help="one JSON object a line for each task")
    group.set_defaults(command=_group)

    benchmark = commands.add_parser("benchmark", help="choose tasks for a benchmark, into a manifest")
    benchmark.add_argument("folder", type=Path, metavar="DIR", help="what `group` wrote")
    benchmark.add_argument("--size", type=int, required=True, metavar="K", help="tasks of the benchmark")
    benchmark.add_argument("--seed", type=int, default=0, metavar="S", help="decides between equals (default: 0)")
    benchmark.add_argument("--held-out", type=int, metavar="N", help="tasks kept apart (default: a quarter of K)")
    benchmark.add_argument("--kind", default="fusible", help="kind of their graphs, or `all` (default: fusible)")
    benchmark.add_argument("--out", type=Path, metavar="FILE", help="the manifest (default: DIR/benchmark.json)")
    benchmark.set_defaults(command=_benchmark)

    unpack = commands.add_parser("unpack", help="the shipped archives as a tree of tasks")
    unpack.add_argument("folder", type=Path, metavar="DIR", help="archives as in graphs/captured")
    unpack.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the task folders go")
    unpack.set_defaults(command=_unpack)

    measure = commands.add_parser("measure", help="eager against Inductor for every graph of a tree")
    measure.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples, or what `group` wrote")
    measure.add_argument("--out", type=Path, required=True, metavar="DIR", help="where baselines.jsonl is kept")
    measure.add_argument("--device", default="cpu", metavar="cpu|cuda", help="where to measure (default: cpu)")
    measure.add_argument("--seconds", type=float, default=3600.0, metavar="S", help="for all graphs (default: 3600)")
    measure.add_argument("--graph-seconds", type=float, default=120.0, metavar="S", help="for one (default: 120)")
    measure.add_argument("--workers", type=int, metavar="N", help="processes that prepare (default: cores - 1)")
    measure.add_argument("--batch", type=int, default=150, metavar="N", help="prepared before measuring (default: 150)")
    measure.add_argument("--retry", action="store_true", help="also what could not be measured before")
    measure.set_defaults(command=_measure)
    return parser


def _add_limits(parser: argparse.ArgumentParser, each: str, *, seconds: float, memory: int) -> None:
    parser.add_argument(
        "--seconds", type=float, default=seconds, metavar="S", help=f"limit for one {each} (default: {seconds:g})"
    )
    parser.add_argument(
        "--memory", type=int, default=memory, metavar="MIB", help=f"limit for one {each} (default: {memory})"
    )
    parser.add_argument("--json", action="store_true", help=f"one JSON object a line for each {each}")


def _capture(options: argparse.Namespace) -> int:
    from dataset.capture_run import CaptureOptions, breaks_by_reason, capture_all
    from dataset.examples import ModelProblem

    sys.path.insert(0, str(Path.cwd()))
    wanted = CaptureOptions(options.train, options.seed, options.seconds, options.memory << 20, options.retry)
    try:
        entries = capture_all(models_of(options.models), options.out, wanted)
    except (ModelProblem, OSError) as problem:
        return _bad(problem)
    for entry in entries:
        print(json.dumps(entry) if options.json else _capture_line(entry))
    captured = [entry for entry in entries if entry["status"] == "captured"]
    if not options.json:
        graphs = sum(len(entry["graphs"]) for entry in entries)
        print(f"{len(captured)} of {len(entries)} models captured, {graphs} graphs")
        for reason, breaks, models in breaks_by_reason(entries):
            print(f"    {_count(breaks, 'graph break')} in {_count(models, 'model')}: {reason}")
    return DONE if captured else NOTHING


def _dedupe(options: argparse.Namespace) -> int:
    from dataset.dedupe import REPORT, find_duplicates, write_report

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    found = find_duplicates(options.folder)
    write_report(found, options.folder / REPORT)
    if options.json:
        print(json.dumps(found.to_json()))
    else:
        print(f"{_count(found.samples, 'sample')}, {_count(len(found.unique), 'unique graph')}")
        print(f"    {found.removed_by_bytes} removed by SHA-256 of model.py")
        print(f"    {found.removed_by_graph} more removed by the canonical graph hash")
        for name, why in found.refused.items():
            print(f"    not hashed as a graph: {name}: {why}")
        print(f"    the list: {options.folder / REPORT}")
    return DONE if found.samples else NOTHING


def _decompose(options: argparse.Namespace) -> int:
    from dataset.decompose import DecomposeOptions, decompose_all

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    limits = (options.seconds, options.memory << 20)
    wanted = DecomposeOptions(options.kind, *limits, options.window, options.device, options.resume)
    results = decompose_all(options.folder, wanted)
    for result in results:
        print(json.dumps(result) if options.json else _decompose_line(result))
    done = [result for result in results if result["status"] == "done"]
    if not options.json:
        subgraphs = sum(len(result["subgraphs"]) for result in results)
        print(
            f"{len(done)} of {len(results)} graphs decomposed, {_count(subgraphs, 'subgraph')} of kind {options.kind}"
        )
    return DONE if done else NOTHING


def _check_kernels(options: argparse.Namespace) -> int:
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # importing Inductor leaves the GPU to forks
    from dataset.kernel_check import compare

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    if options.launched:
        from dataset.launch_check import compare_launches

        try:
            found = compare_launches(options.folder, options.samples, options.seed, options.workers)
        except ValueError as problem:
            return _bad(problem)
    else:
        found = compare(options.folder, options.samples, options.seed, options.device)
    compared = agreed = 0
    for one in found:
        compared, agreed = compared + 1, agreed + one.agrees
        if options.json:
            print(json.dumps(asdict(one)))
        elif not one.agrees:
            print(f"{one.graph} {one.start}–{one.end}: counted {one.counted}, found {one.real} (own, library's)")
    if options.json:
        print(json.dumps({"compared": compared, "agreed": agreed}))
    else:
        print(f"{agreed} of {_count(compared, 'range')} have the kernels that were counted")
    return DONE if compared else NOTHING


def _vary(options: argparse.Namespace) -> int:
    from dataset.vary import VaryOptions, vary_all

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    wanted = VaryOptions(
        options.variants, whole=options.whole, seconds=options.seconds, memory_bytes=options.memory << 20
    )
    results = vary_all(options.folder, options.out, wanted)
    for result in results:
        found = _count(len(result["samples"]), "variant")
        head = f"{result['sample']}: {result['status']}, {found}, {result['seconds']:.1f} s"
        print(json.dumps(result) if options.json else "\n".join([head, *_reasons(result)]))
    variants = sum(len(result["samples"]) for result in results)
    if not options.json:
        print(f"{_count(len(results), 'sample')}, {_count(variants, 'variant')}")
    return DONE if variants else NOTHING


def _group(options: argparse.Namespace) -> int:
    from dataset.tasks import group, write_tasks

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    found = group(options.folder)
    write_tasks(found, options.folder, options.out)
    if options.json:
        for task in found.tasks:
            print(json.dumps(task.to_json()))
    else:
        graphs = sum(len(task.members) for task in found.tasks)
        print(f"{_count(found.samples, 'sample')}, {_count(len(found.tasks), 'task')} with {_count(graphs, 'graph')}")
        for name, why in found.refused.items():
            print(f"    left out: {name}: {why}")
    return DONE if found.tasks else NOTHING


def _benchmark(options: argparse.Namespace) -> int:
    from dataset.benchmark import build, read_candidates, write_manifest

    kind = None if options.kind == "all" else options.kind
    held_out = options.size // 4 if options.held_out is None else options.held_out
    try:
        candidates = read_candidates(options.folder, kind)
        manifest = build(candidates, options.size, options.seed, held_out)
    except (OSError, ValueError, KeyError) as problem:
        return _bad(problem)
    out = options.out or options.folder / "benchmark.json"
    write_manifest(manifest, out)
    chosen, apart = len(manifest["benchmark"]), len(manifest["held_out"])
    print(f"{out}: {chosen} of {_count(len(candidates), 'task')}, {apart} held out")
    print(f"    {manifest['bigrams_covered']} of {manifest['bigrams']} operator bigrams covered")
    return DONE if chosen else NOTHING


def _unpack(options: argparse.Namespace) -> int:
    from dataset.unpacking import unpack_catalogue
    from graphs.problems import ReadProblem

    try:
        tasks = unpack_catalogue(options.folder, options.out)
    except (ReadProblem, OSError, ValueError) as problem:
        return _bad(problem)
    print(f"{options.out}: {_count(tasks, 'task')}")
    return DONE if tasks else NOTHING


def _measure(options: argparse.Namespace) -> int:
    from dataset.measure import RESULTS, MeasureOptions, default_workers, measure_all, say
    from evaluator.runner import environment

    environment.restart_scrubbed()
    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    workers = default_workers() if options.workers is None else options.workers
    if options.seconds <= 0 or options.graph_seconds <= 0 or options.batch < 1 or workers < 1:
        return _bad(ValueError("--seconds, --graph-seconds, --batch and --workers are numbers above 0"))
    wanted = MeasureOptions(
        options.device, options.seconds, options.graph_seconds, workers, options.batch, options.retry
    )
    found = measure_all(options.folder, options.out, wanted, say)
    print(f"{found.measured} measured, {found.failed} failed, {found.before} before, {found.left} left")
    print(f"    the figures: {options.out / RESULTS}")
    return DONE if found.measured or found.before else NOTHING


def _decompose_line(result: dict[str, Any]) -> str:
    found = _count(len(result["subgraphs"]), "subgraph")
    head = f"{result['graph']}: {result['status']}, {found}, {result['seconds']:.1f} s"
    return "\n".join([head, *_reasons(result)])


def _reasons(result: dict[str, Any]) -> list[str]:
    """Why it failed, and what was left out of it."""
    lines = [f"    {result['why']}"] if result["why"] else []
    return lines + [f"    left out, {count}×: {why}" for why, count in result["left"].items()]


def models_of(models: Sequence[str]) -> list[str]:
    """The names as given; @FILE stands for the lines of a file, without blank ones and those that start with #."""
    names: list[str] = []
    for model in models:
        lines = Path(model[1:]).read_text("utf-8").splitlines() if model.startswith("@") else [model]
        names += [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return names


def _capture_line(entry: dict[str, Any]) -> str:
    before = "done before" if entry["graphs"] else "tried before (--retry tries it again)"
    when = before if entry["done_before"] else f"{entry['seconds']:.1f} s"
    lines = [f"{entry['model']}: {entry['status']}, {_count(len(entry['graphs']), 'graph')}, {when}"]
    if entry["why"]:
        lines.append(f"    {entry['why']}")
    lines += [f"    {graph}" for graph in entry["graphs"]]
    lines += [f"    left out, a graph of {left['kind']}: {left['why']}" for left in entry["left"]]
    lines += [f"    graph break, {one['count']}×: {one['reason']}. {one['explanation']}" for one in entry["breaks"]]
    return "\n".join(lines)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _bad(problem: Exception) -> int:
    print(f"dataset: {problem}", file=sys.stderr)
    return BAD_ARGUMENTS
