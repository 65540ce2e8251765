"""Whether counted kernels are those that Inductor really generates: code is generated for a sample of ranges."""

import ast
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch._inductor import metrics
from torch._inductor.graph import GraphLowering
from torch.fx import Graph, Node
from tqdm import tqdm

from dataset import checks, subgraphs
from dataset.decompose import FOLDER
from dataset.fusible import WINDOW, inputs_of
from dataset.fx_samples import NotASample
from dataset.inductor_kernels import Input, NotLowered, count_kernels, lowered
from dataset.subgraphs import Extract, Values
from evaluator.engine.build import build
from evaluator.engine.inputs import graph_inputs, replay
from graphs.fx_source import parse
from graphs.samples import find_samples, read_sample

_OPERATORS = ("extern_kernels", "aten", "torch.ops")  # what the generated Python calls for kernels that are not its own


@dataclass(frozen=True)
class Comparison:
    """A range of operators of a graph, with (generated, extern) kernels as counted and as found in generated code.

    `launched`: as seen on a GPU, where one operator of a library may be several kernels.
    """

    graph: str
    start: int
    end: int
    counted: tuple[int, int]
    real: tuple[int, int]
    launched: bool = False

    @property
    def agrees(self) -> bool:
        return self.counted[0] == self.real[0] if self.launched else self.counted == self.real


def compare(root: Path, samples: int, seed: int, device: str = "cpu") -> Iterator[Comparison]:
    """Take `samples` ranges of up to WINDOW operators from the whole graphs below `root`, and compare each."""
    folders = [path for path in find_samples(root) if FOLDER not in path.relative_to(root).parts]
    chance = random.Random(seed)
    wanted = [samples // len(folders) + (place < samples % len(folders)) for place in range(len(folders))]
    if device == "cpu":
        _stand_in_driver()
    bar = tqdm(total=samples, unit="range", disable=not sys.stderr.isatty())
    for folder, count in zip(folders, wanted, strict=True):
        name = folder.relative_to(root).as_posix()
        for start, end, found, values in _ranges(folder, count, chance):
            bar.update()
            inputs = inputs_of(found, values)
            try:
                kernels = count_kernels(found.graph, inputs, device)
                real = generated_kernels(found.graph, inputs, device)
            except NotLowered:
                continue
            yield Comparison(name, start, end, (kernels.generated, kernels.extern), real)


def generated_kernels(graph: Graph, inputs: list[Input], device: str) -> tuple[int, int]:
    """Generate the code of a graph and count (kernels in it, calls of operators that are no views)."""
    found: list[tuple[int, int]] = []

    def generate(lowering: GraphLowering) -> None:
        metrics.reset()
        code, _ = lowering.codegen()
        found.append((metrics.generated_kernel_count, _extern_calls(code.value)))

    lowered(graph, inputs, device, generate)
    return found[0] if found else (0, 0)


def _ranges(folder: Path, count: int, chance: random.Random) -> Iterator[tuple[int, int, Extract, Values]]:
    try:
        nodes, values = operators_and_values(folder)
    except Exception as error:  # a graph that does not run here says nothing about the others
        print(f"{folder}: not compared: {' '.join(str(error).split())[:200]}", file=sys.stderr)
        return
    for _ in range(count):
        start = chance.randrange(len(nodes))
        end = min(start + chance.randint(1, WINDOW), len(nodes))
        try:
            yield start, end, subgraphs.extract(nodes[start:end], values), values
        except NotASample:
            continue


def operators_and_values(folder: Path) -> tuple[list[Node], Values]:
    """The operators of a whole graph, and what flowed between them in one run. Raises whatever it raises."""
    sample = read_sample(folder)
    graph = parse(sample.source)
    module = build(graph)
    metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
    values = Values(module)
    with torch.no_grad():
        values.run(*replay(metas, 0, checks.SPREAD, scalars=scalars))
    return subgraphs.operators(module), values


def _extern_calls(code: str) -> int:
    """Calls of operators in the generated function `call`."""
    functions = [
        node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef) and node.name == "call"
    ]
    calls = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)]
    return sum(_is_operator(ast.unparse(call.func)) for call in calls)


def _is_operator(name: str) -> bool:
    if not name.startswith(tuple(f"{one}." for one in _OPERATORS)):
        return False
    value: Any = torch.ops
    for part in name.removeprefix("torch.ops.").split("."):
        value = getattr(value, part, None)
    return not (isinstance(value, torch._ops.OpOverload) and value.is_view)


def _stand_in_driver() -> None:
    """Triton names a target in the code it generates: without a GPU an H200's, so that code is generated at all."""
    import triton
    from triton.backends.compiler import GPUTarget

    class Driver:
        def get_current_target(self) -> Any:
            return GPUTarget("cuda", 90, 32)

        def get_current_device(self) -> int:
            return 0

    triton.runtime.driver.set_active(Driver())
