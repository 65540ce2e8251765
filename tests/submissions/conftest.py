import pytest
from redis import Redis

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.models import Task
from graphs.samples import Sample, TensorMeta, hash_source

SOURCE = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = torch.nn.functional.relu(in_0)
        tmp_1 = tmp_0 * 2
        tmp_2 = tmp_1 + in_1
        return (tmp_2,)
"""


@pytest.fixture(autouse=True)
def _own_redis(private_redis: Redis) -> None:
    """No test here may reach a Redis that is not its own."""


def tensor(name: str, *shape: int, dtype: str = "float32") -> TensorMeta:
    return TensorMeta(name, shape, dtype, "cpu", 0.0, 1.0, None, None, None, None, f"Program_weight_tensor_meta_{name}")


def sample(name: str = "small", *, dtype: str = "float32", source: str = SOURCE) -> Sample:
    inputs = (tensor("in_0", 4, 6, dtype=dtype), tensor("in_1", 4, 6, dtype=dtype))
    return Sample(name, source, inputs, graph_net={"framework": "torch"}, content_hash=hash_source(source))


@pytest.fixture
def task(db) -> Task:
    """A task of two graphs with the same code."""
    graphs = [(name, do_store_graph(sample(name, dtype=dtype), "model.py")) for name, dtype in GRAPHS]
    text = TaskText("Doubled ReLU", "ReLU, doubled, plus a bias.")
    return do_store_task("doubled-relu", text, graphs, {"A.py": "x = 1\n"}, "shipped")[0]


GRAPHS = (("f32", "float32"), ("f16", "float16"))
