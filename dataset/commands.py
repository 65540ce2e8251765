"""What each command of the command line does: it calls the work, prints what came of it and gives the exit status.

Heavy imports stand inside, so that `--help` and mistakes in arguments answer at once.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from dataset.report_lines import capture_line, count, decompose_line, reasons

DONE, NOTHING, BAD_ARGUMENTS = 0, 1, 2


def capture(options: argparse.Namespace) -> int:
    from dataset.capture_run import CaptureOptions, breaks_by_reason, capture_all
    from dataset.examples import ModelProblem

    sys.path.insert(0, str(Path.cwd()))
    if options.workers < 1 or options.devices < 1:
        return _bad(ValueError("--workers and --devices are numbers above 0"))
    limits = (options.seconds, options.memory << 20)
    how = (options.retry, options.workers, options.devices)
    wanted = CaptureOptions(options.train, options.seed, *limits, *how)
    try:
        entries = capture_all(models_of(options.models), options.out, wanted)
    except (ModelProblem, OSError) as problem:
        return _bad(problem)
    for entry in entries:
        print(json.dumps(entry) if options.json else capture_line(entry))
    captured = [entry for entry in entries if entry["status"] == "captured"]
    if not options.json:
        graphs = sum(len(entry["graphs"]) for entry in entries)
        print(f"{len(captured)} of {len(entries)} models captured, {graphs} graphs")
        for reason, breaks, models in breaks_by_reason(entries):
            print(f"    {count(breaks, 'graph break')} in {count(models, 'model')}: {reason}")
    return DONE if captured else NOTHING


def dedupe(options: argparse.Namespace) -> int:
    from dataset.dedupe import REPORT, find_duplicates, write_report

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    found = find_duplicates(options.folder)
    write_report(found, options.folder / REPORT)
    if options.json:
        print(json.dumps(found.to_json()))
    else:
        print(f"{count(found.samples, 'sample')}, {count(len(found.unique), 'unique graph')}")
        print(f"    {found.removed_by_bytes} removed by SHA-256 of model.py")
        print(f"    {found.removed_by_graph} more removed by the canonical graph hash")
        for name, why in found.refused.items():
            print(f"    not hashed as a graph: {name}: {why}")
        print(f"    the list: {options.folder / REPORT}")
    return DONE if found.samples else NOTHING


def decompose(options: argparse.Namespace) -> int:
    from dataset.decompose import DecomposeOptions
    from dataset.decompose_run import decompose_all

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    if options.workers < 1 or options.total <= 0:
        return _bad(ValueError("--workers and --total are numbers above 0"))
    limits = (options.seconds, options.memory << 20)
    how = (options.window, options.device, options.resume, options.workers, options.total)
    wanted = DecomposeOptions(options.kind, *limits, *how)
    results = decompose_all(options.folder, wanted)
    for result in results:
        print(json.dumps(result) if options.json else decompose_line(result))
    done = [result for result in results if result["status"] == "done"]
    if not options.json:
        subgraphs = sum(len(result["subgraphs"]) for result in results)
        print(f"{len(done)} of {len(results)} graphs decomposed, {count(subgraphs, 'subgraph')} of kind {options.kind}")
    return DONE if done else NOTHING


def check_kernels(options: argparse.Namespace) -> int:
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
        print(f"{agreed} of {count(compared, 'range')} have the kernels that were counted")
    return DONE if compared else NOTHING


def vary(options: argparse.Namespace) -> int:
    from dataset.vary import VaryOptions, vary_all

    if not options.folder.is_dir():
        return _bad(NotADirectoryError(f"{options.folder} is not a folder"))
    wanted = VaryOptions(
        options.variants, whole=options.whole, seconds=options.seconds, memory_bytes=options.memory << 20
    )
    results = vary_all(options.folder, options.out, wanted)
    for result in results:
        found = count(len(result["samples"]), "variant")
        head = f"{result['sample']}: {result['status']}, {found}, {result['seconds']:.1f} s"
        print(json.dumps(result) if options.json else "\n".join([head, *reasons(result)]))
    variants = sum(len(result["samples"]) for result in results)
    if not options.json:
        print(f"{count(len(results), 'sample')}, {count(variants, 'variant')}")
    return DONE if variants else NOTHING


def group(options: argparse.Namespace) -> int:
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
        print(f"{count(found.samples, 'sample')}, {count(len(found.tasks), 'task')} with {count(graphs, 'graph')}")
        for name, why in found.refused.items():
            print(f"    left out: {name}: {why}")
    return DONE if found.tasks else NOTHING


def benchmark(options: argparse.Namespace) -> int:
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
    print(f"{out}: {chosen} of {count(len(candidates), 'task')}, {apart} held out")
    print(f"    {manifest['bigrams_covered']} of {manifest['bigrams']} operator bigrams covered")
    return DONE if chosen else NOTHING


def unpack(options: argparse.Namespace) -> int:
    from dataset.unpacking import unpack_catalogue
    from graphs.problems import ReadProblem

    try:
        tasks = unpack_catalogue(options.folder, options.out)
    except (ReadProblem, OSError, ValueError) as problem:
        return _bad(problem)
    print(f"{options.out}: {count(tasks, 'task')}")
    return DONE if tasks else NOTHING


def measure(options: argparse.Namespace) -> int:
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


def models_of(models: Sequence[str]) -> list[str]:
    """The names as given; @FILE stands for the lines of a file, without blank ones and those that start with #."""
    names: list[str] = []
    for model in models:
        lines = Path(model[1:]).read_text("utf-8").splitlines() if model.startswith("@") else [model]
        names += [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return names


def _bad(problem: Exception) -> int:
    print(f"dataset: {problem}", file=sys.stderr)
    return BAD_ARGUMENTS
