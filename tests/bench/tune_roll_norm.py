"""Finds how many rows and warps, and which words to the cache, the roll kernel is fastest with on this GPU.

`python tests/bench/tune_roll_norm.py [--write]` prints the tables of roll_norm_kernel.py, and writes them into it. All
choices of one graph are timed in turn by `graph`, as a run times eager and candidate; those near the best again, with
every word to the cache. float16 and bfloat16 share a table. Kernels are compiled ahead, by processes without a device.
"""

import argparse
import os
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "graphs" / "data" / "published-roll-norm"
KERNEL = TASK / "example" / "roll_norm_kernel.py"
sys.path[:0] = [str(TASK / "example"), str(ROOT)]

import roll_norm_kernel as kernel  # type: ignore[import-not-found]  # noqa: E402
import torch  # noqa: E402

from evaluator import precision  # noqa: E402
from evaluator.engine.build import build, on_device  # noqa: E402
from evaluator.engine.inputs import replay  # noqa: E402
from evaluator.measure.baselines import compile_baseline  # noqa: E402
from evaluator.measure.rounds import Precision  # noqa: E402
from evaluator.measure.session import Plan, measure  # noqa: E402
from evaluator.measure.values import StaticInputs  # noqa: E402
from graphs.fx_source import parse  # noqa: E402
from graphs.samples import read_sample  # noqa: E402

SIZES = {35: (32, 384), 70: (64, 192), 133: (128, 96)}
TABLES = {"FLOAT32": ("f32",), "HALF": ("f16", "bf16")}
ROWS, WARPS, MOST_ELEMENTS = (1, 2, 4, 8, 16, 32), (1, 2, 4, 8), 16
READ, WRITTEN = ("", "evict_first", "evict_last"), ("", "evict_first")
CAPABILITY = 90  # of an H200
SECOND = 3  # choices that are looked at again
_LONG = Precision(half_width=0.0, min_rounds=60, max_rounds=60, budget_seconds=10.0)

Choice = tuple[int, int, str, str]


def choices(width: int) -> list[Choice]:
    """Rows and warps, with no word to the cache: each thread has 2 to 16 elements of a third of a row."""
    found = []
    for rows, warps in product(ROWS, WARPS):
        if 2 <= rows * width // 3 / (32 * warps) <= MOST_ELEMENTS:
            found.append((rows, warps, "", ""))
    return found


def with_words(near: Iterable[Choice]) -> list[Choice]:
    return [(rows, warps, *words) for rows, warps, *_ in near for words in product(READ, WRITTEN)]


def chosen(side: int, choice: Choice) -> Callable[..., Any]:
    """The launcher with one choice, on a graph's inputs in their order."""

    def call(bias: torch.Tensor, gain: torch.Tensor, residual: torch.Tensor, padded: torch.Tensor) -> Any:
        kernel.FLOAT32[side] = kernel.HALF[side] = choice
        return kernel.roll_norm(bias, gain, residual, padded, side, *SIZES[side])

    return call


def compile_ahead(work: Sequence[tuple[int, str, Choice]]) -> None:
    """Fork processes that compile all of it into Triton's cache."""
    many = min(os.cpu_count() or 1, 16)
    children = []
    for number in range(many):
        if pid := os.fork():
            children.append(pid)
            continue
        try:
            from evaluator.runner import compile_only

            compile_only.enable(CAPABILITY)
            for side, dtype, choice in work[number::many]:
                kept, width = SIZES[side]
                shapes = ((width,), (width,), (1, kept * kept, width), (1, side, side, width))
                kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
                chosen(side, choice)(*(torch.empty(shape, dtype=kind, device="meta") for shape in shapes))
            compile_only.finish()
        finally:
            os._exit(0)
    for pid in children:
        os.waitpid(pid, 0)


def graph(side: int, dtype: str) -> tuple[torch.fx.GraphModule, StaticInputs]:
    kept, width = SIZES[side]
    sample = read_sample(TASK / "graphs" / f"{dtype}_{side}to{kept}x{width}")
    sets = [replay(sample.inputs, seed, 1.0, "cuda") for seed in (1, 2)]
    return on_device(build(parse(sample.source)), "cuda"), StaticInputs(sets, [True] * 4, "tune")


def times(side: int, dtype: str, tried: Sequence[Choice], baselines: Sequence[str] = ()) -> dict[Any, float]:
    """Median µs by `graph` of eager, of compilers and of every choice; choices that return something else are left out.

    Raises nothing for a choice that can not be launched: it has no time.
    """
    module, inputs = graph(side, dtype)
    expected = module(*inputs.values)
    participants: dict[Any, Callable[..., Any]] = {"eager": module.forward}
    for name in baselines:
        participants[name] = compile_baseline(name, module, inputs.values).call
    for choice in tried:
        try:
            returned = chosen(side, choice)(*inputs.values)
        except Exception as problem:
            print(f"{side} {dtype} {choice}: {type(problem).__name__}: {problem}"[:200])
            continue
        near = {"rtol": 1e-5, "atol": 1e-5} if dtype == "f32" else {"rtol": 0.02, "atol": 0.02}
        if all(torch.allclose(one, other, **near) for one, other in zip(returned, expected, strict=True)):
            participants[choice] = chosen(side, choice)
    (timed,) = measure(participants, inputs, Plan(("graph",), {"direct graph": _LONG}), random.Random(1))
    return {who: statistics.median(own) for who, own in timed.timing.samples.items()}


def best(
    side: int, dtypes: Sequence[str], tried: Sequence[Choice], most: int, baselines: Sequence[str] = ()
) -> list[Choice]:
    """The choices that are fastest over all dtypes, each relative to that dtype's fastest; prints what was seen."""
    found = {dtype: times(side, dtype, tried, baselines) for dtype in dtypes}
    fastest = {dtype: min(own[one] for one in tried if one in own) for dtype, own in found.items()}

    def worst(choice: Choice) -> float:
        return max(own[choice] / fastest[dtype] for dtype, own in found.items())

    ordered = sorted((one for one in tried if all(one in own for own in found.values())), key=worst)
    for name in ("eager", *baselines):
        print(f"{side} {name}: " + ", ".join(f"{dtype} {own[name]:.2f}" for dtype, own in found.items()))
    for choice in ordered[: 2 * most]:
        print(
            f"{side} {choice}: " + ", ".join(f"{dtype} {own[choice]:.2f}" for dtype, own in found.items()), flush=True
        )
    return ordered[:most]


def accuracy(side: int, dtype: str, choice: Choice) -> str:
    """Largest error of the norm against float64: eager's, and the choice's."""
    module, inputs = graph(side, dtype)
    bias, gain, *_ = inputs.values
    total, eager = module(*inputs.values)
    _, own = chosen(side, choice)(*inputs.values)
    exact = torch.nn.functional.layer_norm(total.double(), (SIZES[side][1],), gain.double(), bias.double(), 1e-5)
    return ", ".join(
        f"{who} {float((one.double() - exact).abs().max()):.2e}" for who, one in (("eager", eager), ("own", own))
    )


def table(name: str, entries: dict[int, Choice]) -> str:
    lines = [
        f'    {side}: ({rows}, {warps}, "{read}", "{written}"),'
        for side, (rows, warps, read, written) in entries.items()
    ]
    return "\n".join([f"{name} = {{", *lines, "}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into the kernel's file")
    parser.add_argument("--inductor", action="store_true", help="time Inductor beside the best choices, too")
    options = parser.parse_args()
    precision.pin()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"):
            os.environ[name] = str(Path(folder, name))
        tables = tuned(("inductor",) if options.inductor else ())
        for name, dtypes in TABLES.items():
            for side, dtype in product(SIZES, dtypes):
                print(f"{side} {dtype}, error against float64: {accuracy(side, dtype, tables[name][side])}", flush=True)
    text = KERNEL.read_text()
    for name, entries in tables.items():
        found = table(name, entries)
        print(found, flush=True)
        text = re.sub(rf"^{name} = {{.*?^}}", lambda _, found=found: found, text, flags=re.M | re.S)
    if options.write:
        KERNEL.write_text(text)


def tuned(baselines: Sequence[str] = ()) -> dict[str, dict[int, Choice]]:
    """First rows and warps, then the words to the cache for the best of them."""
    cases = [(name, side) for name in TABLES for side in SIZES]
    tried = {case: choices(SIZES[case[1]][1]) for case in cases}
    for most in (SECOND, 1):
        compile_ahead(
            [(side, dtype, one) for name, side in cases for dtype in TABLES[name] for one in tried[name, side]]
        )
        last = most == 1
        found = {
            (name, side): best(side, TABLES[name], own, most, baselines if last else ())
            for (name, side), own in tried.items()
        }
        tried = {case: own if last else with_words(own) for case, own in found.items()}
    return {name: {side: tried[name, side][0] for side in SIZES} for name in TABLES}


if __name__ == "__main__":
    main()
