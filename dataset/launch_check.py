"""Whether counted kernels are those that a GPU is seen to launch: ranges are compiled, called and profiled."""

import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import torch
from torch.fx import Node

from dataset import subgraphs
from dataset.decompose import FOLDER
from dataset.fusible import WINDOW
from dataset.inductor_kernels import Input, count_kernels
from dataset.kernel_check import Comparison, operators_and_values
from dataset.subgraphs import Values
from graphs.samples import Sample, find_samples, hash_source

_OWN = "triton_"  # how Inductor names the kernels that it generates
_REPEATS = 3


def compare_launches(root: Path, samples: int, seed: int, workers: int) -> Iterator[Comparison]:
    """Take prefixes of up to WINDOW operators, from places by chance, of the whole graphs below `root`.

    `real` are (Inductor's own, other) kernels that the profiler saw in one call on the CUDA device. An operator of a
    library may well launch several, so only Inductor's own are compared. Why ranges were left out is said at the end
    on standard error; a process that dies ends it all. Raises ValueError without a GPU.
    """
    if not torch.cuda.is_available():
        raise ValueError("launches are seen on a GPU only, and there is none here")
    return _compared(root, samples, seed, workers)


def _compared(root: Path, samples: int, seed: int, workers: int) -> Iterator[Comparison]:
    folders = [path for path in find_samples(root) if FOLDER not in path.relative_to(root).parts]
    chance = random.Random(seed)
    chance.shuffle(folders)
    wanted = [samples // len(folders) + (place < samples % len(folders)) for place in range(len(folders))]
    with ProcessPoolExecutor(workers, get_context("fork"), _settle) as pool:
        waiting = [
            pool.submit(_of_folder, folder, folder.relative_to(root).as_posix(), count, chance.getrandbits(32))
            for folder, count in zip(folders, wanted, strict=True)
            if count
        ]
        left: Counter[str] = Counter()
        for done in as_completed(waiting):
            try:
                found, why = done.result()
            except BrokenProcessPool as problem:
                left[f"a process died: {problem}"] += 1
                break
            yield from found
            left.update(why)
    for reason, times in left.most_common():
        print(f"left out, {times}×: {reason}", file=sys.stderr)


def _settle() -> None:
    torch.set_num_threads(1)
    torch._inductor.config.compile_threads = 1
    warnings.simplefilter("ignore")


def _of_folder(folder: Path, name: str, count: int, seed: int) -> tuple[list[Comparison], Counter[str]]:
    """Comparisons, and why others were left out."""
    left: Counter[str] = Counter()
    try:
        nodes, values = operators_and_values(folder)
    except Exception as problem:  # a graph that does not run here says nothing about the others
        return [], Counter([f"a whole graph: {_short(problem)}"])
    chance = random.Random(seed)
    found: list[Comparison] = []
    for _ in range(3 * count):  # not every range can stand alone
        start = chance.randrange(max(1, len(nodes) - 1))
        end = min(start + chance.randint(2, WINDOW), len(nodes))
        try:
            found.append(Comparison(name, start, end, *_of_range(nodes[start:end], values), launched=True))
        except Exception as problem:  # no graph of its own, not for this device, or nothing that compiles
            left[_short(problem)] += 1
        if len(found) == count:
            break
    return found, left


def _short(problem: Exception) -> str:
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:160]}"


def _of_range(nodes: Sequence[Node], values: Values) -> tuple[tuple[int, int], tuple[int, int]]:
    """Counted and launched kernels. Raises whatever stands in the way."""
    from evaluator.engine.inputs import INPUT_SETS
    from evaluator.measure.baselines import compile_baseline
    from evaluator.measure.kernels import profile_kernels
    from evaluator.runner.reference import reference

    cut = subgraphs.cut(nodes, values)
    sample = Sample("range", cut.source, cut.inputs, content_hash=hash_source(cut.source))
    graph = reference(sample, "cuda")
    inputs = graph.case(INPUT_SETS[1]).inputs
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    kernels = count_kernels(
        graph.module.graph, [Input(tuple(one.shape), one.stride(), one.dtype) for one in tensors], "cuda"
    )
    call = compile_baseline("inductor", graph.module, inputs).call
    with torch.no_grad():
        profile = profile_kernels({"range": lambda: call(*inputs)}, repeats=_REPEATS)["range"]
    launched = [kernel for kernel in profile.kernels if kernel.kind == "kernel"]
    own = sum(kernel.count for kernel in launched if kernel.name.startswith(_OWN))
    return (kernels.generated, kernels.extern), (own, sum(kernel.count for kernel in launched) - own)
