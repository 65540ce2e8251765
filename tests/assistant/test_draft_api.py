"""The drafter over the API: who may ask, what comes back, what is refused. Nothing is run and torch stays away."""

import json
import subprocess
import sys

import pytest

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.samples import Sample, TensorMeta, hash_source

SOURCE = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + in_1
        tmp_1 = torch.nn.functional.relu(tmp_0)
        tmp_2 = tmp_1 @ in_1
        tmp_3 = tmp_1 + tmp_2
        return (tmp_3,)
"""
PATH = "/api/tasks/add-relu/graphs/f32/draft"


def tensor(name, dtype):
    return TensorMeta(name, (6, 6), dtype, "cpu", 0.0, 1.0)


def sample(name, dtype):
    inputs = (tensor("in_0", dtype), tensor("in_1", dtype))
    return Sample(name, SOURCE, inputs, graph_net={"framework": "torch"}, content_hash=hash_source(SOURCE))


@pytest.fixture
def task(db, own_redis):
    graphs = [(name, do_store_graph(sample(name, dtype), "model.py")) for name, dtype in GRAPHS]
    return do_store_task("add-relu", TaskText("Add", "Add, ReLU."), graphs, {}, "shipped")[0]


GRAPHS = (("f32", "float32"), ("f16", "float16"))


def ask(client, nodes, path=PATH):
    return client.post(path, json.dumps({"nodes": nodes}), content_type="application/json")


def test_a_draft_fits_the_task_s_other_graphs(client, task):
    reply = ask(client, ["tmp_0", "tmp_1"])
    assert reply.status_code == 200, reply.json()
    made = reply.json()
    assert made["name"] == "FuseAddRelu.py"
    assert (made["kind"], made["outputs"], made["leaks"]) == ("kernel", ["tmp_1"], [])
    assert "return tmp_1" in made["text"]
    # one of the graphs is float16: eager rounds the sum before it takes the larger of it and zero
    assert "(in_0 + in_1).to(dtype).to(tl.float32)" in made["text"]


def test_a_matmul_is_left_to_a_person(client, task):
    made = ask(client, ["tmp_2"]).json()
    assert made["kind"] == "original"
    assert "TODO" in made["text"]
    assert "matmul" in made["notes"][-1] or "@" in made["notes"][-1]


def test_a_selection_with_a_hole_says_where_it_leaves_and_returns(client, task):
    reply = ask(client, ["tmp_1", "tmp_3"])
    assert reply.status_code == 422
    assert reply.json()["code"] == "not_convex"
    assert reply.json()["nodes"] == ["tmp_1", "tmp_2", "tmp_3"]


@pytest.mark.parametrize(("nodes", "status", "code"), [(["in_0"], 422, "empty"), (["tmp_9"], 404, "unknown_node")])
def test_what_can_not_be_drafted_is_refused(client, task, nodes, status, code):
    reply = ask(client, nodes)
    assert (reply.status_code, reply.json()["code"]) == (status, code)


def test_an_unknown_graph_is_refused(client, task):
    assert ask(client, ["tmp_0"], "/api/tasks/add-relu/graphs/f64/draft").status_code == 404


def test_only_people_with_an_account_draft(task):
    from django.test import Client

    assert ask(Client(), ["tmp_0"]).status_code in (401, 403)


def test_drafting_loads_no_torch():
    code = (
        "import sys; from assistant.drafter import draft, GraphFacts; from graphs.fx_source import parse;"
        "g = parse('def forward(self, in_0):\\n    tmp_0 = in_0 * 2\\n    return (tmp_0,)\\n');"
        "facts = GraphFacts({'in_0': {'shape': [4], 'dtype': 'float32'}});"
        "assert draft(g, ['tmp_0'], facts).kind == 'kernel'; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
