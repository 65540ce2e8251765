"""What the interpreter needs to judge with: autotuning, bfloat16, bounds, libdevice, launches."""

# ruff: noqa: N803 - kernels name their constants in capitals
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.engine import interpreter

interpreter.enable()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.language.extra import libdevice  # noqa: E402

from evaluator.engine.interpreter import bfloat16  # noqa: E402
from evaluator.engine.interpreter import libdevice as stand_in  # noqa: E402


@triton.jit
def copy_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n).to(o.dtype.element_ty), mask=i < n)


def copied(x, dtype):
    out = torch.empty(x.shape, dtype=dtype)
    copy_kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out


HALFWAY_UP = 1 + 2**-8  # between the bfloat16 neighbours 1 and 1 + 2^-7: the even one is 1
HALFWAY_ODD = 1 + 3 * 2**-8  # between 1 + 2^-7 and 1 + 2^-6: the even one is the upper


def test_float32_rounds_to_the_nearest_even_bfloat16():
    values = [1.0, HALFWAY_UP, HALFWAY_ODD, HALFWAY_UP + 2**-20, -HALFWAY_ODD, math.inf, 3.4e38, 1e-40]
    found = copied(torch.tensor(values), torch.bfloat16)
    assert found.tolist()[:5] == [1.0, 1.0, 1 + 2**-6, 1 + 2**-7, -1 - 2**-6]
    assert torch.equal(found, torch.tensor(values).to(torch.bfloat16))


@given(st.lists(st.floats(width=32), min_size=1, max_size=32))
def test_rounding_is_torchs_own(values):
    x = torch.tensor(values, dtype=torch.float32)
    bits = torch.from_numpy(bfloat16.narrow(x.numpy()).view(np.int16)).view(torch.bfloat16)
    assert torch.equal(torch.nan_to_num(bits, nan=7.0), torch.nan_to_num(x.to(torch.bfloat16), nan=7.0))
    assert torch.equal(torch.isnan(bits), torch.isnan(x))


@pytest.mark.parametrize("dtype", [torch.int32, torch.float64, torch.float16, torch.bool])
def test_bfloat16_to_and_from_other_dtypes(dtype):
    x = torch.tensor([0.0, 1.0, -2.5, 100.0]).to(dtype)
    assert torch.equal(copied(x, torch.bfloat16), x.to(torch.bfloat16))
    y = torch.tensor([0.0, 1.0, -2.5, 100.0], dtype=torch.bfloat16)
    if dtype is not torch.bool:
        assert torch.equal(copied(y, dtype), y.to(dtype))


@triton.jit
def arithmetic_kernel(x, y, o, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(o + i, a + b)
    tl.store(o + BLOCK + i, a * b - 0.5)
    tl.store(o + 2 * BLOCK + i, tl.where(a > b, a, b))
    tl.store(o + 3 * BLOCK + i, -a)
    tl.store(o + 4 * BLOCK + i, (a < b).to(tl.bfloat16))
    tl.store(o + 5 * BLOCK + i, tl.abs(a))


def test_bfloat16_arithmetic_rounds_after_each_operation():
    x, y = torch.randn(8).bfloat16(), torch.randn(8).bfloat16()
    out = torch.empty(6, 8, dtype=torch.bfloat16)
    arithmetic_kernel[(1,)](x, y, out, BLOCK=8)
    expected = [x + y, x * y - 0.5, torch.maximum(x, y), -x, (x < y).bfloat16(), x.abs()]
    for found, wanted in zip(out, expected, strict=True):
        assert torch.equal(found, wanted)


@triton.jit
def reduction_kernel(x, o, ROWS: tl.constexpr, COLS: tl.constexpr):
    a = tl.load(x + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :])
    i = tl.arange(0, ROWS)
    tl.store(o + i, tl.sum(a, 1))
    tl.store(o + ROWS + i, tl.max(a, 1))
    tl.store(o + 2 * ROWS + i, tl.min(a, 1))
    tl.store(o + 3 * ROWS + i, tl.argmax(a, 1).to(tl.bfloat16))
    tl.store(o + 4 * ROWS + tl.arange(0, COLS), tl.sum(tl.cumsum(a, 1), 0))


def test_bfloat16_reductions():
    x = torch.tensor([[1.0, -4.0, 2.0, 0.5], [-1.0, -3.0, -2.0, -8.0]], dtype=torch.bfloat16)
    out = torch.empty(12, dtype=torch.bfloat16)
    reduction_kernel[(1,)](x, out, ROWS=2, COLS=4)
    # sums; largest; smallest; their places; column sums of the running sums (1 −3 −1 −0.5) and (−1 −4 −6 −14)
    assert out.tolist() == [-0.5, -14.0, 2.0, -1.0, -4.0, -8.0, 2.0, 0.0, 0.0, -7.0, -7.0, -14.5]


@triton.jit
def dot_kernel(x, y, o, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(o + at, tl.dot(tl.load(x + at), tl.load(y + at)))


def test_bfloat16_dot_accumulates_in_float32():
    x, y = torch.randn(16, 16).bfloat16(), torch.randn(16, 16).bfloat16()
    out = torch.empty(16, 16)
    dot_kernel[(1,)](x, y, out, N=16)
    assert torch.allclose(out, x.float() @ y.float(), atol=1e-5)


@triton.autotune(configs=[triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=["n"])
@triton.jit
def tuned_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def test_autotune_takes_the_first_configuration():
    x = torch.arange(20.0)
    out, grids = torch.empty(20), []
    with interpreter.listen(lambda launch: grids.append(launch.grid)):
        tuned_kernel[lambda meta: (triton.cdiv(20, meta["BLOCK"]),)](x, out, 20)
    assert torch.equal(out, 2 * x) and grids == [(3, 1, 1)]  # 20 in blocks of 8, and one launch in all


def test_a_tuned_name_given_at_the_launch_is_named():
    with pytest.raises(ValueError, match="BLOCK: given at the launch of tuned_kernel"):
        tuned_kernel[(3,)](torch.ones(21), torch.empty(21), 21, BLOCK=8)


@triton.jit
def loop_kernel(x, o, n):
    total = 0.0
    for i in range(0, n):
        total += tl.load(x + i)
    tl.store(o, total)


def test_an_argument_bounds_a_loop():
    out = torch.empty(1)
    loop_kernel[(1,)](torch.arange(5.0), out, 4)
    assert out.item() == 6.0


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def heuristic_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def test_heuristics():
    out = torch.empty(5)
    heuristic_kernel[(1,)](torch.zeros(5), out, 5)
    assert out.tolist() == [1.0] * 5


@triton.jit
def unmasked_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i), mask=i < n)


def test_a_load_outside_gives_nan_and_is_told():
    launches = []
    out = torch.empty(8)
    with interpreter.listen(launches.append):
        unmasked_kernel[(1,)](torch.ones(5), out, 8, BLOCK=8)
    assert out[:5].tolist() == [1.0] * 5 and torch.isnan(out[5:]).all()
    (told,) = launches[0].reads_outside
    assert (told.kernel, told.argument, told.file) == ("unmasked_kernel", "x", __file__)
    first = unmasked_kernel.fn.__code__.co_firstlineno  # the decorator's line
    assert told.line == first + 3
    assert told.words == (
        "kernel unmasked_kernel reads outside the tensors it was given (3 lanes),"
        " the first 4 bytes after the end of 'x': check the mask"
    )


def test_a_load_outside_that_nothing_depends_on_is_harmless():
    out = torch.empty(5)
    unmasked_kernel[(1,)](torch.ones(5), out, 5, BLOCK=8)
    assert out.tolist() == [1.0] * 5


def test_a_store_outside_raises():
    with pytest.raises(triton.runtime.errors.InterpreterError, match=r"writes outside .* after the end of 'o'"):
        copy_kernel[(1,)](torch.ones(8), torch.empty(5), 8, BLOCK=8)
    with pytest.raises(triton.runtime.errors.InterpreterError, match=r"writes outside .* before the start of 'o'"):
        before_kernel[(1,)](torch.empty(5))


@triton.jit
def far_kernel(x, o):
    tl.store(o + (1 << 40), tl.load(x - (1 << 40)))


def test_an_access_far_from_every_tensor_names_none():
    launches = []
    with (
        interpreter.listen(launches.append),
        pytest.raises(
            triton.runtime.errors.InterpreterError, match=r"writes outside every tensor .* \(1 lanes\): check"
        ),
    ):
        far_kernel[(1,)](torch.ones(1), torch.empty(1))
    (told,) = launches[0].reads_outside
    assert told.argument is None and "reads outside every tensor" in told.words


@triton.jit
def before_kernel(o):
    tl.store(o - 2, 1.0)


def test_a_view_may_reach_all_of_its_storage():
    whole = torch.zeros(10)
    copy_kernel[(1,)](torch.ones(7), whole[3:], 7, BLOCK=8)
    assert whole.tolist() == [0.0] * 3 + [1.0] * 7


@triton.jit
def address_kernel(address, o):
    tl.store(o, tl.load(address.to(tl.pointer_type(tl.float32))))


def test_an_address_given_as_a_number_is_not_second_guessed():
    x, out = torch.tensor([4.5]), torch.empty(1)
    address_kernel[(1,)](x.data_ptr(), out)
    assert out.item() == 4.5


@triton.jit
def libdevice_kernel(x, o, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(o + i, libdevice.tanh(a))
    tl.store(o + BLOCK + i, tl.extra.cuda.libdevice.erf(a))
    tl.store(o + 2 * BLOCK + i, libdevice.pow(a, a))


def test_libdevice():
    x = torch.tensor([0.5, 1.0, 2.0, 3.0])
    out = torch.empty(3, 4)
    libdevice_kernel[(1,)](x, out, BLOCK=4)
    assert torch.allclose(out, torch.stack([x.tanh(), x.erf(), x**x]), rtol=1e-6)


@pytest.mark.parametrize(
    ("symbol", "value"),
    [("__nv_frcp_rn", 0.25), ("__nv_fsqrt_rn", 2.0), ("__nv_fast_expf", math.exp(4)), ("__nv_lgammaf", math.log(6))],
)
def test_names_of_libdevice(symbol, value):
    assert float(stand_in.find(symbol)(np.float64(4.0))) == pytest.approx(value)


def test_names_of_libdevice_with_more_operands():
    assert stand_in.find("__nv_fmaf")(2.0, 3.0, 4.0) == 10.0
    assert stand_in.find("__nv_fadd_rn")(2.0, 3.0) == 5.0
    assert stand_in.find("__nv_fmaf_rn")(2.0, 3.0, 4.0) == 10.0
    assert stand_in.find("__nv_j0f") is None


def test_launches_are_told_with_their_grid():
    told = []
    with interpreter.listen(lambda launch: told.append((launch.kernel, launch.grid, launch.programs))):
        copy_kernel[(1,)](torch.ones(4), torch.empty(4), 4, BLOCK=4)
        copy_kernel[(0, 3)](torch.ones(4), torch.empty(4), 4, BLOCK=4)
    copy_kernel[(1,)](torch.ones(4), torch.empty(4), 4, BLOCK=4)
    assert told == [("copy_kernel", (1, 1, 1), 1), ("copy_kernel", (0, 3, 1), 0)]
    assert not interpreter.running()


@triton.jit
def extremes_kernel(x, o):
    value = tl.load(x)
    tl.store(o, tl.maximum(value, 1.0))
    tl.store(o + 1, tl.minimum(value, 1.0))
    tl.store(o + 2, tl.maximum(value, 1.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(o + 3, tl.clamp(value, 2.0, 3.0))


def test_the_larger_of_nan_and_a_number_is_the_number_unless_the_kernel_asks_for_nan():
    out = torch.empty(4)
    extremes_kernel[(1,)](torch.tensor([math.nan]), out)
    assert out[:2].tolist() == [1, 1] and math.isnan(out[2]) and out[3] == 2
