"""The command line of the dataset: capture graphs from models, find duplicates, cut graphs into subgraphs.

Exit status: 0 done (what failed is listed), 1 nothing of it worked, 2 bad arguments.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from dataset import commands


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    status: int = options.command(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dataset", description="Graphs from models.")
    choices = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    capture = choices.add_parser("capture", help="capture the graphs of models as sample folders")
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
    capture.add_argument(
        "--devices", type=int, default=1, metavar="N", help="ranks of each model, which meet in one group (default: 1)"
    )
    capture.add_argument("--workers", type=int, default=1, metavar="N", help="models at the same time (default: 1)")
    _add_limits(capture, "model", seconds=300.0, memory=8192)
    capture.set_defaults(command=commands.capture)

    dedupe = choices.add_parser("dedupe", help="find samples that are the same graph")
    dedupe.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples; DIR/dedupe.json is written")
    dedupe.add_argument("--json", action="store_true", help="the report on standard output")
    dedupe.set_defaults(command=commands.dedupe)

    decompose = choices.add_parser("decompose", help="cut graphs into subgraphs, below _decomposed/ of each")
    decompose.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    decompose.add_argument("--kind", required=True, choices=("single", "classical", "fusible"), help="how to cut")
    decompose.add_argument(
        "--window", type=int, default=64, metavar="N", help="fusible: longest prefix in operators, 0: all (default: 64)"
    )
    decompose.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="fusible: whose kernels are counted (default: cpu)"
    )
    decompose.add_argument("--resume", action="store_true", help="only what was not done before with these options")
    decompose.add_argument("--workers", type=int, default=1, metavar="N", help="graphs at the same time (default: 1)")
    decompose.add_argument(
        "--total", type=float, default=math.inf, metavar="S", help="seconds for all graphs together (default: no limit)"
    )
    _add_limits(decompose, "graph", seconds=600.0, memory=8192)
    decompose.set_defaults(command=commands.decompose)

    check = choices.add_parser("check-kernels", help="compare counted kernels with those that Inductor generates")
    check.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    check.add_argument("--samples", type=int, default=200, metavar="N", help="ranges of operators (default: 200)")
    check.add_argument("--seed", type=int, default=0, metavar="N", help="which ranges (default: 0)")
    check.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="as of decompose (default: cpu)")
    check.add_argument("--launched", action="store_true", help="with those that the GPU is seen to launch")
    check.add_argument("--workers", type=int, default=1, metavar="N", help="--launched: processes (default: 1)")
    check.add_argument("--json", action="store_true", help="one JSON object a line for each range, then the sums")
    check.set_defaults(command=commands.check_kernels)

    vary = choices.add_parser("vary", help="other shapes and dtypes of samples, verified by running")
    vary.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    vary.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the tree of variants goes")
    vary.add_argument("--variants", type=int, default=10, metavar="N", help="shapes, the own included (default: 10)")
    vary.add_argument("--whole", action="store_true", help="also whole graphs, which were not cut from another")
    _add_limits(vary, "sample", seconds=300.0, memory=8192)
    vary.set_defaults(command=commands.vary)

    group = choices.add_parser("group", help="group samples into tasks")
    group.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples")
    group.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the task folders go")
    group.add_argument("--json", action="store_true", help="one JSON object a line for each task")
    group.set_defaults(command=commands.group)

    benchmark = choices.add_parser("benchmark", help="choose tasks for a benchmark, into a manifest")
    benchmark.add_argument("folder", type=Path, metavar="DIR", help="what `group` wrote")
    benchmark.add_argument("--size", type=int, required=True, metavar="K", help="tasks of the benchmark")
    benchmark.add_argument("--seed", type=int, default=0, metavar="S", help="decides between equals (default: 0)")
    benchmark.add_argument("--held-out", type=int, metavar="N", help="tasks kept apart (default: a quarter of K)")
    benchmark.add_argument("--kind", default="fusible", help="kind of their graphs, or `all` (default: fusible)")
    benchmark.add_argument("--out", type=Path, metavar="FILE", help="the manifest (default: DIR/benchmark.json)")
    benchmark.set_defaults(command=commands.benchmark)

    unpack = choices.add_parser("unpack", help="the shipped archives as a tree of tasks")
    unpack.add_argument("folder", type=Path, metavar="DIR", help="archives as in graphs/captured")
    unpack.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the task folders go")
    unpack.set_defaults(command=commands.unpack)

    measure = choices.add_parser("measure", help="eager against Inductor for every graph of a tree")
    measure.add_argument("folder", type=Path, metavar="DIR", help="a tree of samples, or what `group` wrote")
    measure.add_argument("--out", type=Path, required=True, metavar="DIR", help="where baselines.jsonl is kept")
    measure.add_argument("--device", default="cpu", metavar="cpu|cuda", help="where to measure (default: cpu)")
    measure.add_argument("--seconds", type=float, default=3600.0, metavar="S", help="for all graphs (default: 3600)")
    measure.add_argument("--graph-seconds", type=float, default=120.0, metavar="S", help="for one (default: 120)")
    measure.add_argument("--workers", type=int, metavar="N", help="processes that prepare (default: cores - 1)")
    measure.add_argument("--batch", type=int, default=150, metavar="N", help="prepared before measuring (default: 150)")
    measure.add_argument("--retry", action="store_true", help="also what could not be measured before")
    measure.set_defaults(command=commands.measure)
    return parser


def _add_limits(parser: argparse.ArgumentParser, each: str, *, seconds: float, memory: int) -> None:
    parser.add_argument(
        "--seconds", type=float, default=seconds, metavar="S", help=f"limit for one {each} (default: {seconds:g})"
    )
    parser.add_argument(
        "--memory", type=int, default=memory, metavar="MIB", help=f"limit for one {each} (default: {memory})"
    )
    parser.add_argument("--json", action="store_true", help=f"one JSON object a line for each {each}")
