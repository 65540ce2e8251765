"""What a launcher does with ATen is seen by what it does to data, and nothing else is held against it."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from evaluator.engine import interpreter
from evaluator.integrity.dispatch_guard import DispatchGuard
from evaluator.integrity.taint import Ledger

interpreter.enable()


@triton.jit
def double(x_ptr, o_ptr, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def numbers(o_ptr, n, block: tl.constexpr):
    i = tl.arange(0, block)
    tl.store(o_ptr + i, i.to(tl.float32), mask=i < n)


X = torch.arange(12.0).view(3, 4)
TABLE = torch.arange(4)
SHELF: dict[Any, torch.Tensor] = {}


def watch(launcher: Callable[..., Any], *inputs: torch.Tensor, ledger: Ledger | None = None) -> DispatchGuard:
    with torch.no_grad(), DispatchGuard(inputs or (X,), ledger=ledger) as guard:
        launcher(*(inputs or (X,)))
    return guard


def kernel_launch(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    double[(1,)](x, out, x.numel(), block=16)
    return out


def views(x: torch.Tensor) -> Any:
    y = x.view(-1).unsqueeze(0).expand(2, -1).transpose(0, 1)[:, :1].squeeze()
    return y.detach(), x[..., 0], x.t().reshape(4, 3), x.chunk(2), x.split(1), x.as_strided((2,), (1,)), x.unbind()


def own_tables(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[1]
    order = (torch.arange(n) * 3 + 1) % n
    mask = torch.tril(torch.ones(n, n)) > 0
    return torch.where(mask, order, torch.zeros_like(order)).sum().to(torch.int32)


def outside_tables(x: torch.Tensor) -> torch.Tensor:
    return (TABLE[: x.shape[0]] + 1).to(x.device)


def table_by_kernel(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(4)
    numbers[(1,)](out, 4, block=4)
    return out * 2


def table_beside_data(x: torch.Tensor) -> torch.Tensor:
    double[(1,)](x, torch.empty_like(x), x.numel(), block=16)
    double[(1,)](TABLE.float(), torch.empty(4), 4, block=4)
    return TABLE + 1


def fills(x: torch.Tensor) -> torch.Tensor:
    out = kernel_launch(x)
    out.zero_()
    return out.fill_(2.0)


def reads(x: torch.Tensor) -> float:
    return x[0, 0].item() + float(x.view(-1)[1]) + sum(x.tolist()[0])


HONEST = [kernel_launch, views, own_tables, outside_tables, table_by_kernel, table_beside_data, fills, reads]


@pytest.mark.parametrize("launcher", HONEST, ids=lambda launcher: launcher.__name__)
def test_honest_launcher_makes_no_calls_on_data(launcher: Callable[..., Any]) -> None:
    assert watch(launcher).calls == []


def kept_from_before(x: torch.Tensor) -> torch.Tensor:
    if "x" in SHELF:
        return SHELF["x"] + 1
    SHELF["x"] = kernel_launch(x)
    return SHELF["x"]


WORK = {
    "operator": (lambda x: x + 1, "aten.add", "tensor_operator"),
    "method": (lambda x: x.sum(), "aten.sum", "tensor_operator"),
    "unbound method": (lambda x: torch.Tensor.mul(x, x), "aten.mul", "tensor_operator"),
    "operator module": (lambda x: operator.matmul(x, x.t()), "aten.mm", "tensor_operator"),
    "function": (lambda x: torch.nn.functional.relu(x), "aten.relu", "torch_compute"),
    "torch.ops": (lambda x: torch.ops.aten.exp.default(x), "aten.exp", "torch_compute"),
    "out": (lambda x: torch.add(x, x, out=torch.empty_like(x)), "aten.add", "torch_compute"),
    "after the kernel": (lambda x: kernel_launch(x).neg(), "aten.neg", "tensor_operator"),
    "name at run time": (lambda x: getattr(torch, "".join(["si", "n"]))(x), "aten.sin", "torch_compute"),
    "on a copy": (lambda x: x.clone().exp(), "aten.exp", "tensor_operator"),
    "on a view": (lambda x: x.view(-1)[1:].exp(), "aten.exp", "tensor_operator"),
    "module object": (lambda x: torch.nn.GELU()(x), "aten.gelu", "torch_compute"),
    "gather by a table": (lambda x: x[torch.tensor([0, 1])], "aten.index", "tensor_operator"),
    "slice assignment": (lambda x: torch.empty(6, 4).__setitem__(slice(0, 3), x), "aten.copy_", "tensor_operator"),
    "in python's sum": (lambda x: sum([x, x]), "aten.add", "tensor_operator"),
    "vmap": (lambda x: torch.vmap(torch.sin)(x), "aten.sin", "torch_compute"),
}


@pytest.mark.parametrize("trick", WORK)
def test_work_is_seen(trick: str) -> None:
    launcher, op, cls = WORK[trick]
    guard = watch(launcher)
    assert op in {call.op for call in guard.calls if call.kind == "work"}
    found = [one for one in guard.findings() if one["severity"] == "violation"]
    assert cls in {one["class"] for one in found}
    assert all(str(one["file"]).endswith("test_dispatch_guard.py") for one in found)


def test_place_is_the_line_of_the_pass() -> None:
    def launcher(x: torch.Tensor) -> torch.Tensor:
        y = x.view(-1)
        return torch.softmax(y, 0)

    (call,) = watch(launcher).calls
    assert call.line == launcher.__code__.co_firstlineno + 2


def test_what_an_earlier_call_kept_is_data_still() -> None:
    SHELF.clear()
    ledger = Ledger()
    assert watch(kept_from_before, ledger=ledger).calls == []
    assert [call.op for call in watch(kept_from_before, torch.ones(3, 4), ledger=ledger).calls] == ["aten.add"]


def test_copies_are_noted_only_where_they_copy() -> None:
    assert watch(lambda x: x.contiguous().to(torch.float32)).calls == []
    guard = watch(lambda x: x.t().contiguous().to(torch.float64))
    assert [call.kind for call in guard.calls] == ["copy", "copy"]
    assert {one["severity"] for one in guard.findings()} == {"note"}


def test_writing_into_an_input() -> None:
    x = torch.ones(4)
    guard = watch(lambda t: t.view(2, 2)[0].zero_(), x)
    assert [(call.op, call.kind) for call in guard.calls] == [("aten.zero_", "mutation")]
    assert [one["class"] for one in guard.findings()] == ["input_mutation"]
    with torch.no_grad(), DispatchGuard((x,), in_place=True) as allowed:
        x.fill_(1.0)
    assert allowed.findings() == []


def test_numpy_is_an_escape() -> None:
    guard = watch(lambda x: torch.from_numpy(x.numpy() + 1))
    assert [(call.op, call.kind) for call in guard.calls] == [("Tensor.numpy", "escape")]


def test_body_of_an_own_operator_is_watched() -> None:
    @torch.library.custom_op("guard_test::work", mutates_args=())
    def work(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(kernel_launch(x))

    @torch.library.custom_op("guard_test::honest", mutates_args=())
    def honest(x: torch.Tensor) -> torch.Tensor:
        return kernel_launch(x)

    guard = watch(lambda x: torch.ops.guard_test.work(x))
    assert [call.op for call in guard.calls] == ["aten.relu"]
    assert guard.launches == 1
    assert watch(lambda x: torch.ops.guard_test.honest(x)).calls == []


def test_a_kernel_that_calls_torch_while_it_is_interpreted_is_seen() -> None:
    @triton.jit
    def cheat(x_ptr, o_ptr, n, block: tl.constexpr):
        torch.exp(X)
        tl.store(o_ptr, 1.0)

    guard = watch(lambda x: cheat[(1,)](x, torch.empty(1), 4, block=4))
    assert [call.op for call in guard.calls] == ["aten.exp"]


def test_autotuned_and_heuristic_kernels_are_launches_like_others() -> None:
    @triton.autotune(
        configs=[triton.Config({"block": 16}), triton.Config({"block": 32})], key=["n"], reset_to_zero=["o_ptr"]
    )
    @triton.heuristics({"even": lambda args: args["n"] % 2 == 0})
    @triton.jit
    def tuned(x_ptr, o_ptr, n, block: tl.constexpr, even: tl.constexpr):
        i = tl.arange(0, block)
        tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)

    def launcher(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        tuned[lambda meta: (1,)](x, out, x.numel())
        return out

    guard = watch(launcher)
    assert guard.calls == []
    assert guard.launches == 1


def test_nothing_stays_behind() -> None:
    from triton.runtime import interpreter as triton_interpreter

    run = triton_interpreter.InterpretedFunction.run
    guard = watch(kernel_launch)
    torch.exp(X)
    assert guard.calls == []
    assert triton_interpreter.InterpretedFunction.run is run
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


def test_without_inputs_everything_from_outside_is_data() -> None:
    with DispatchGuard() as guard:
        torch.exp(torch.zeros(3))
        torch.exp(X)
    assert [call[0] for call in guard.calls] == ["aten.exp"]


def test_a_copy_in_the_same_line_hides_no_work() -> None:
    guard = watch(lambda x: torch.relu(x.clone()))
    assert {(one["class"], one["severity"]) for one in guard.findings()} == {
        ("torch_compute", "note"),
        ("torch_compute", "violation"),
    }


def test_elements_that_a_python_function_works_on() -> None:
    guard = watch(lambda x: x.clone().map_(x, lambda a, b: a + b))
    assert [call.kind for call in guard.calls] == ["copy", "work"]


def test_memory_put_under_a_new_tensor_writes_into_no_input() -> None:
    guard = watch(lambda x: torch.empty(0).set_(x.untyped_storage()))
    assert "mutation" not in {call.kind for call in guard.calls}
    guard = watch(lambda x: x.set_(torch.ones(12)), X.clone())
    assert "mutation" in {call.kind for call in guard.calls}


def test_a_sign_that_is_read_later_is_work() -> None:
    guard = watch(lambda x: torch._neg_view(x))
    assert [call.kind for call in guard.calls] == ["work"]
