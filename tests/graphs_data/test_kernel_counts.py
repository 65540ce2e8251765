"""Launches of every shipped task, counted by hand: on a CPU the ATen calls that compute, on a GPU the kernels."""

from pathlib import Path

import pytest
import torch

from evaluator.engine.build import build, on_device
from evaluator.engine.inputs import replay
from evaluator.engine.launches import eager_launches, total
from evaluator.engine.load import load_submission
from evaluator.engine.passes import apply_passes
from evaluator.measure.kernels import launches, profile_kernels
from graphs.fx_source import parse
from graphs.samples import read_sample, read_task

DATA = Path(__file__).parents[2] / "graphs" / "data"
PASSES = Path(__file__).parent / "passes"
TASKS = sorted(folder.name for folder in DATA.iterdir())

#: Calls of one eager run: in float32, and in float16 or bfloat16 where casts are added.
CALLS = {
    "attention-softmax": (3, 5),  # mul, add, softmax; to float32 before it and back after it
    "gated-tanh-gelu": (9, 9),  # 0.5·x, x³, 0.04·, x+, 0.8·, tanh, 1+, ·, ·
    "masked-mean-pooling": (5, 5),  # mul, sum, sum, clamp, div
    "published-masked-mean-pooling": (5, 5),
    "published-roll-norm": (4, 4),  # roll, contiguous, add, layer_norm
    "residual-layer-norm": (2, 2),  # add, layer_norm; dropout at rest does nothing
    "rms-norm": (6, 8),  # square, mean, +, rsqrt, ·, ·; to float32 and back
    "rotary-embedding": (10, 10),  # twice: mul, neg, cat, mul, add
    "shifted-window-norm": (4, 4),  # roll, contiguous, add, layer_norm; the first contiguous has nothing to do
    "squeeze-excite-gate": (6, 6),  # mean, convolution, relu, convolution, sigmoid, mul
}
#: Kernels where they are not one a call. A roll over two dimensions is two; softmax of float16 casts by itself.
KERNELS = {
    "published-roll-norm": {"float32": 5, "float16": 5, "bfloat16": 5},
    "shifted-window-norm": {"float32": 5, "float16": 5, "bfloat16": 5},
    "attention-softmax": {"float32": 3, "float16": 4, "bfloat16": 5},
}
FUSED = {"rotary-embedding": 2}  # matches; everywhere else one kernel is all that is left


def graphs(slug):
    """The first graph of each dtype, by dtype."""
    found = [read_sample(DATA / slug / graph) for graph in read_task(DATA / slug).graphs]
    return {dtype_of(sample): sample for sample in reversed(found)}


def dtype_of(sample):
    return sample.inputs[0].dtype


def kernels_of(slug, dtype):
    return KERNELS.get(slug, {}).get(dtype, CALLS[slug][dtype != "float32"])


@pytest.mark.parametrize("slug", TASKS)
def test_calls_of_eager(slug):
    for dtype, sample in graphs(slug).items():
        counted = total(eager_launches(build(parse(sample.source)), replay(sample.inputs, 1)))
        assert counted == CALLS[slug][dtype != "float32"], sample.name


if torch.cuda.is_available():

    @pytest.mark.parametrize("slug", TASKS)
    def test_kernels_of_eager_and_of_a_pass(slug):
        folder = PASSES / slug.replace("-", "_")
        passes = load_submission(folder if folder.is_dir() else DATA / slug / "example")
        for dtype, sample in graphs(slug).items():
            module = on_device(build(parse(sample.source)), "cuda")
            inputs = replay(sample.inputs, 1, device="cuda")
            rewritten = on_device(apply_passes(module, passes).module, "cuda")
            with torch.no_grad():
                calls = {"eager": lambda: module(*inputs), "candidate": lambda: rewritten(*inputs)}  # noqa: B023
                found = {who: launches(one.kernels) for who, one in profile_kernels(calls, repeats=2).items()}
            eager = kernels_of(slug, dtype)
            if slug == "squeeze-excite-gate":  # how many kernels a convolution is, cuDNN decides
                assert found["eager"] >= eager
                found["eager"] = eager
            assert found == {"eager": eager, "candidate": FUSED.get(slug, 1)}, sample.name
