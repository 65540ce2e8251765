"""The code that torch's own tracers print is read as the graph that they hold."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from graphs.fx_source import FxGraph, parse, to_source


def attention(x: torch.Tensor, mask: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    q, k, v = F.linear(x, w).view(2, 4, 3, 8).permute(2, 0, 1, 3).unbind(0)
    scores = (q @ k.transpose(-1, -2)) / 8**0.5
    scores = scores.masked_fill(~mask[:, None, :], float("-inf"))
    return F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype) @ v, scores


def mutations(x: torch.Tensor, mask: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y += 1.5
    y[:, 1:, ::2] = x[:, :-1, ::2] * 2
    y[..., 0] *= 3
    y.clamp_(min=-1).mul_(2)
    return F.relu(y, inplace=True) + torch.arange(8, device=x.device, dtype=torch.int64) // 2


def modes(x: torch.Tensor, mask: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        scale = torch.tensor([1.0, float("inf")]).sum()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = torch.matmul(x, w.t()[:, :8])
    return torch.where(torch.isinf(scale), y.float(), x) + x.size(0) + x.shape[-1] ** 2


def pieces(x: torch.Tensor, mask: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    a, b = torch.split(x, [3, 5], dim=-1)
    c = torch.cat([b, a], -1).chunk(2, 0)
    values, indices = torch.topk(c[0], k=2)
    return torch.roll(x, (1, -1), dims=(0, 1)), values, F.one_hot(indices, 8), torch.einsum("bij,bkj->bik", x, x)


def capture(function: Callable[..., Any], dynamic: bool) -> torch.fx.GraphModule:
    """The graph that Dynamo hands to a backend."""
    captured: list[torch.fx.GraphModule] = []

    def backend(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        captured.append(module)
        return module.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend, fullgraph=True, dynamic=dynamic)
    compiled(torch.randn(2, 4, 8), torch.ones(2, 4, dtype=torch.bool), torch.randn(24, 8))
    return captured[0]


def check_same(graph: FxGraph, module: torch.fx.GraphModule) -> None:
    """The same nodes under the same names; an input has the name of the parameter, which Dynamo gives an alias."""
    expected = list(module.graph.nodes)
    assert [node.name for node in graph.nodes] == [
        node.target if node.op == "placeholder" else node.name for node in expected
    ]
    for found, node in zip(graph.nodes, expected, strict=True):
        assert found.op == node.op
        if node.op == "call_method":
            assert found.target == node.target
        elif node.op == "call_function" and found.target.startswith("operator."):
            assert node.target is getattr(operator, found.target.removeprefix("operator."))
        elif node.op == "call_function" and found.target != "getattr":
            assert found.target.split(".")[-1] == getattr(node.target, "__name__", "").split(".")[-1]
        assert len(found.args) == len(node.args)
        assert [key for key, _ in found.kwargs] == list(node.kwargs)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("function", [attention, mutations, modes, pieces])
def test_dynamo(function: Callable[..., Any], dynamic: bool) -> None:
    module = capture(function, dynamic)
    graph = parse("import torch\n" + module.code)
    check_same(graph, module)
    assert parse(to_source(graph)) == graph
    readable = parse(module.print_readable(print_output=False))
    assert [node.name for node in readable.nodes] == [node.name for node in graph.nodes]
    assert all(node.annotation for node in readable.inputs)


def test_symbolic_trace_and_decompositions() -> None:
    traced = torch.fx.symbolic_trace(lambda x, w: F.layer_norm(torch.relu(x + 1).sum(-1), (4,), weight=w))
    check_same(parse(traced.code), traced)
    made = torch.fx.experimental.proxy_tensor.make_fx(lambda x, w: F.layer_norm(x, (8,)) @ w.t())(
        torch.randn(2, 8), torch.randn(24, 8)
    )
    graph = parse(made.code)
    check_same(graph, made)
    assert "torch.ops.aten.native_layer_norm.default" in [node.target for node in graph.nodes]
