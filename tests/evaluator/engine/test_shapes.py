"""Shapes and dtypes by node name."""

import pytest
import torch

from evaluator.engine.shapes import described_shapes, node_shapes
from graphs.samples import TensorMeta


def pool(x, mask):
    product = x * mask
    return product.sum(1), mask.sum(1)


def split_and_size(x):
    first, second = x.split(2, 1)[0], x.size(0)
    return first.half(), second


def by_value(x):
    return torch.nonzero(x).float() + 1


def looks(module, values):
    return {name: (info["shape"], info["dtype"]) for name, info in node_shapes(module, values).items()}


def test_every_node_by_name():
    found = looks(torch.fx.symbolic_trace(pool), [torch.ones(2, 5, 4), torch.ones(2, 5, 1)])
    assert found == {
        "x": ([2, 5, 4], "float32"),
        "mask": ([2, 5, 1], "float32"),
        "mul": ([2, 5, 4], "float32"),
        "sum_1": ([2, 4], "float32"),
        "sum_2": ([2, 1], "float32"),
        "output": (None, None),
    }


def test_what_is_no_tensor_has_no_shape():
    found = looks(torch.fx.symbolic_trace(split_and_size), [torch.ones(3, 4)])
    assert found["split"] == found["size"] == (None, None)
    assert found["getitem"] == ([3, 2], "float32") and found["half"] == ([3, 2], "float16")


def test_a_shape_that_depends_on_values():
    found = looks(torch.fx.symbolic_trace(by_value), [torch.tensor([0, 3, 5])])
    assert found["nonzero"] == ([2, 1], "int64") and found["add"] == ([2, 1], "float32")


def launcher(x):
    assert x.data_ptr()  # that of a fake tensor is 0
    return torch.empty(x.shape[0], dtype=torch.float16)


def test_a_launcher_is_run():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.create_node("call_function", launcher, (x,), name="fused"))
    found = looks(torch.fx.GraphModule(torch.nn.Module(), graph), [torch.ones(6, 2)])
    assert found["fused"] == ([6], "float16")


def test_inputs_stay_as_they_are():
    x = torch.tensor([0.0, 3.0])
    node_shapes(torch.fx.symbolic_trace(lambda x: torch.nonzero(x.mul_(2))), [x])
    assert x.tolist() == [0.0, 3.0]


def test_a_graph_that_fails_raises():
    with pytest.raises(RuntimeError):
        node_shapes(torch.fx.symbolic_trace(lambda x: x.view(7)), [torch.ones(3)])


def test_from_metadata_alone():
    huge = [TensorMeta("x", (2, 1 << 20, 1 << 20), "bfloat16"), TensorMeta("mask", (2, 1 << 20, 1), "bfloat16")]
    found = described_shapes(torch.fx.symbolic_trace(pool), huge)
    assert found["mul"] == {"shape": [2, 1 << 20, 1 << 20], "dtype": "bfloat16"}


def test_from_metadata_with_a_number():
    module = torch.fx.symbolic_trace(lambda n, x: x.view(n, -1))
    metas = [TensorMeta("n", (), "int64", data=(3,)), TensorMeta("x", (12,), "int8")]
    assert described_shapes(module, metas, {"n"})["view"] == {"shape": [3, 4], "dtype": "int8"}


def test_from_metadata_where_values_decide():
    module = torch.fx.symbolic_trace(by_value)
    found = described_shapes(module, [TensorMeta("x", (4,), "int64", data=(1, 0, 1, 1))])
    assert found["nonzero"] == {"shape": [3, 1], "dtype": "int64"}


def test_what_follows_a_failing_node_is_unknown():
    module = torch.fx.symbolic_trace(lambda x: x.relu().view(7).tanh())
    found = described_shapes(module, [TensorMeta("x", (3,), "float32")])
    assert found["relu"]["shape"] == [3] and found["tanh"] == {"shape": None, "dtype": None}
