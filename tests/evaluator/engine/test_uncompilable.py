"""What a kernel may not say on a GPU, although the interpreter runs it."""

# ruff: noqa: N803 - kernels name their constants in capitals
import pytest
import torch

from evaluator.engine import interpreter

interpreter.enable()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from evaluator.engine.blame import kind  # noqa: E402
from evaluator.engine.interpreter.uncompilable import DoesNotCompile, refuse  # noqa: E402

SCALE = 2.0
BLOCK_SIZE = tl.constexpr(8)
DEBUG = False
ROUNDS: tl.constexpr = 2  # older compilers take this


@triton.jit
def scaled(x):
    return x * SCALE


@triton.jit
def by_a_helper(x, o):
    i = tl.arange(0, 8)
    tl.store(o + i, scaled(tl.load(x + i)))


@triton.jit
def right(x, o, n, FAST: tl.constexpr, LIMIT: tl.constexpr = SCALE):
    """Globals that are constexpr, modules and dtypes are read; what may never be compiled is not looked at."""
    i = tl.arange(0, BLOCK_SIZE)
    value = tl.load(x + i, mask=i < n)
    if FAST:
        value = value * SCALE
    for step in tl.static_range(2):
        if step == 2:
            break
    for step in range(0, ROUNDS):
        if n == 8:
            value += tl.where(step == 0, 1.0, LIMIT - LIMIT).to(tl.float32)
    tl.store(o + i, value, mask=i < n)
    return
    tl.store(o + i, SCALE)


def test_a_global_in_a_function_that_a_kernel_calls():
    with pytest.raises(Exception) as caught:
        by_a_helper[(1,)](torch.ones(8), torch.empty(8))
    root = caught.value
    while root.__cause__ is not None:
        root = root.__cause__
    assert isinstance(root, DoesNotCompile) and kind(caught.value) == "compile"
    assert "reads the global SCALE" in str(root) and "write `SCALE = tl.constexpr(2.0)`" in str(root)
    assert root.origin.file == __file__ and root.origin.line == scaled.fn.__code__.co_firstlineno + 2


def test_what_may_be_read_and_what_is_not_compiled():
    out = torch.empty(8)
    right[(1,)](torch.ones(8), out, 8, FAST=False)
    assert out.tolist() == [2.0] * 8  # one, and one more in the first of two rounds


def breaks(x, n):
    for j in range(0, n):
        if j == 2:
            break


def tries(x):
    try:
        tl.store(x, 1.0)
    finally:
        pass


def takes_a_lambda(x):
    f = lambda y: y + 1  # noqa: E731
    tl.store(x, f(1.0))


def decides(x):
    if DEBUG:
        tl.store(x, 1.0)


@pytest.mark.parametrize(
    ("function", "line", "words"),
    [
        (breaks, 3, "`break`"),
        (tries, 1, "`try`"),
        (takes_a_lambda, 1, "a lambda"),
        (decides, 1, "the global DEBUG"),
    ],
)
def test_what_triton_does_not_take(function, line, words):
    with pytest.raises(DoesNotCompile, match=words) as caught:
        refuse(function)
    assert caught.value.origin.line == function.__code__.co_firstlineno + line


def test_globals_that_the_author_allows(monkeypatch):
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    refuse(decides)
