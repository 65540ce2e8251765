# ruff: noqa: N803 - kernels name their constants in capitals
"""Honest passes that were written for a GPU run where there is none."""

import pytest
import torch

from evaluator.engine import interpreter

interpreter.enable()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU to ask")


@triton.jit
def double_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def launcher(x):
    """Everything that a launcher written for a GPU may ask for."""
    assert x.is_cuda
    out = torch.empty(x.shape, dtype=x.dtype, device="cuda")
    table = torch.tensor([1, 2], device=torch.device("cuda:0"))
    assert table.device == x.device == out.to("cuda").device == x.new_empty(3, device="cuda:0").device
    programs = min(torch.cuda.get_device_properties(x.device).multi_processor_count, triton.cdiv(x.numel(), 4))
    with torch.cuda.device(x.device), torch.cuda.stream(torch.cuda.current_stream()):
        double_kernel[(programs,)](x.cuda(), out, x.numel(), BLOCK=4)
    torch.cuda.synchronize()
    return out.cuda(0)


def test_cuda_means_cpu():
    x = torch.arange(10.0)
    with interpreter.cuda_means_cpu():
        found = launcher(x)
    assert torch.equal(found, 2 * x) and found.device.type == "cpu" and not x.is_cuda


def test_questions_about_the_device():
    assert triton.runtime.driver.active.get_active_torch_device() == torch.device("cpu")
    properties = triton.runtime.driver.active.utils.get_device_properties(torch.cuda.current_device())
    assert properties["multiprocessor_count"] == torch.cuda.get_device_properties(0).multi_processor_count > 1
    assert torch.cuda.get_device_capability() >= (8, 0)
    assert triton.runtime.driver.active.get_current_target().backend == "cuda"
    assert not torch.cuda.is_available()


def test_other_devices_and_texts_stay():
    with interpreter.cuda_means_cpu():
        assert torch.empty(2, device="meta").device.type == "meta"
        assert torch.einsum("ij,jk->ik", torch.ones(2, 2), torch.ones(2, 2)).sum() == 8
    with pytest.raises((RuntimeError, AssertionError)):
        torch.empty(2, device="cuda")


def test_every_stand_in_is_an_object_of_its_own():
    names = ("device", "stream", "current_stream", "default_stream", "current_device", "synchronize", "set_device")
    assert len({id(getattr(torch.cuda, name)) for name in names}) == 7  # Dynamo knows functions by identity
