"""`torch.compile(model, backend=passes(folder))` on modules as people write them."""

import pytest
import torch
from pass_folders import RELU, SCALED, folder, one
from torch import nn

from evaluator.engine.backend import NoBackward, passes
from evaluator.engine.leaf import LauncherOutputs
from evaluator.engine.load import BadSubmission


@pytest.fixture(autouse=True)
def a_fresh_dynamo():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8, eps=1e-3)

    def forward(self, x, y):
        h = self.norm(self.linear(x))
        total = h + y * 3
        return total * 2, torch.relu(torch.relu(total) + x)


def pair(rows=4):
    return torch.randn(rows, 8), torch.randn(rows, 8)


def same(found, expected):
    return all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


def matched(backend):
    return [[(match.pass_name, match.nodes) for match in graph.matches] for graph in backend.report]


@torch.no_grad()
def test_literals_several_outputs_and_two_passes_give_what_eager_gives(tmp_path):
    backend = passes(folder(tmp_path / "p", Scaled=SCALED, Relu=RELU))
    model = Block()
    assert backend.explain() == "No graph has been compiled yet: call the compiled model once."
    inputs = pair()
    assert same(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert matched(backend) == [[("Scaled", ("mul", "total", "relu")), ("Relu", ("add_1", "relu_1"))]]
    (graph,) = backend.report
    assert (graph.then, graph.fallback, graph.near_misses) == ("eager", None, ())
    assert [line.split(":")[0] for match in graph.matches for line in match.lines] == ["test_backend_eager.py"] * 3
    assert "graph 1: 8 operations, 2 matches, then eager" in backend.explain()
    assert "● Scaled: mul, total, relu (test_backend_eager.py:" in backend.explain()


@torch.no_grad()
def test_a_match_is_named_by_the_module_it_comes_from(tmp_path):
    backend = passes(folder(tmp_path / "p", Norm=NORM))
    model = nn.Sequential(Block(), nn.Identity())
    torch.compile(lambda x, y: model[0](x, y), backend=backend)(*pair())
    (match,) = backend.report[0].matches
    assert [name.split(".")[-1] for name in match.modules] == ["norm"]
    assert "norm, test_backend_eager.py:" in backend.explain()


@torch.no_grad()
def test_each_piece_between_graph_breaks_is_a_graph(tmp_path):
    def model(x, y):
        z = torch.relu(x + y)
        torch._dynamo.graph_break()
        return torch.relu(z + x)

    backend = passes(folder(tmp_path / "p", Relu=RELU))
    inputs = pair()
    assert torch.equal(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert [graph.number for graph in backend.report] == [1, 2]
    assert [len(graph.matches) for graph in backend.report] == [1, 1]


@torch.no_grad()
def test_one_graph_for_all_sizes(tmp_path):
    backend = passes(folder(tmp_path / "p", Scaled=SCALED, Relu=RELU))
    model = Block()
    compiled = torch.compile(model, backend=backend, dynamic=True)
    for rows in (4, 6, 3):
        inputs = pair(rows)
        assert same(compiled(*inputs), model(*inputs))
    (graph,) = backend.report
    assert len(graph.matches) == 2 and any("s" in text.split("[")[-1] for text in graph.inputs if "L_x_" in text)


NORM = one(
    """
    return torch.nn.functional.layer_norm(x, (8,), weight=w, bias=b, eps=0.001)
    """,
    inputs="x, w, b",
    args="(x, w, b)",
    top="""
    seen = []

    def norm(x, w, b):
        seen.append(tuple(x.shape))
        centred = x.double() - x.double().mean(-1, keepdim=True)
        found = centred / (centred.square().mean(-1, keepdim=True) + 0.001).sqrt()
        return (found * w + b).float()
    """,
    launcher="norm",
)


@torch.no_grad()
@pytest.mark.parametrize("dynamic", [None, True])
def test_parameters_are_inputs_and_numbers_of_the_model_are_constants(tmp_path, dynamic):
    """With dynamic=True Dynamo makes `eps` an input; it stays a constant for patterns, and is watched."""
    backend = passes(folder(tmp_path / "p", Norm=NORM))
    model = Block()
    compiled = torch.compile(model, backend=backend, dynamic=dynamic)
    inputs = pair()
    for found, expected in zip(compiled(*inputs), model(*inputs), strict=True):
        torch.testing.assert_close(found, expected)
    assert [len(graph.matches) for graph in backend.report] == [1]
    model.norm.eps = 1.0
    for found, expected in zip(compiled(*inputs), model(*inputs), strict=True):
        torch.testing.assert_close(found, expected)
    assert [len(graph.matches) for graph in backend.report] == [1, 0]
    assert backend.report[1].near_misses[0]["differences"][0]["argument"] == "eps"


@torch.no_grad()
def test_a_number_that_changes_stays_open_where_a_pattern_takes_it_as_input(tmp_path):
    """Dynamo opens a number when it changes: one graph for 2.5, one for all others."""
    scaled = one("return torch.relu(x * k)", inputs="x, k", args="(x, k)", top=SCALE, launcher="scale")
    backend = passes(folder(tmp_path / "p", Scaled=scaled))
    compiled = torch.compile(lambda x, k: torch.relu(x * k) + k, backend=backend)
    x = torch.tensor([-2.0, 2.0])
    assert [compiled(x, k).tolist() for k in (2.5, 3.5, 5.5)] == [[2.5, 7.5], [3.5, 10.5], [5.5, 16.5]]
    assert backend.passes[0].module.seen == [2.5, 3.5, 5.5]
    assert [len(graph.matches) for graph in backend.report] == [1, 1]


SCALE = """
    seen = []

    def scale(x, k):
        seen.append(k)
        return torch.relu(x * k)
    """


@torch.no_grad()
def test_graphs_within_a_graph_are_named_as_not_looked_into(tmp_path):
    def model(x, y):
        return torch.utils.checkpoint.checkpoint(lambda a, b: torch.relu(a + b), x, y, use_reentrant=False)

    backend = passes(folder(tmp_path / "p", Relu=RELU))
    inputs = pair()
    assert torch.equal(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    (note,) = backend.report[0].notes
    assert "no pass is tried on the 2 operations within" in note and note in backend.explain()


@torch.no_grad()
def test_in_place_addition_is_found_by_a_pattern_that_adds(tmp_path):
    def model(x, y):
        h = x * 2
        h += y
        return torch.relu(h)

    backend = passes(folder(tmp_path / "p", Relu=RELU))
    inputs = pair()
    assert torch.equal(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert matched(backend) == [[("Relu", ("h_1", "relu"))]]


@torch.no_grad()
def test_a_change_that_the_caller_sees_is_kept(tmp_path):
    def model(x, y):
        x += y
        return torch.relu(x)

    backend = passes(folder(tmp_path / "p", Relu=RELU))
    x, y = pair()
    mine, theirs = x.clone(), x.clone()
    assert torch.equal(torch.compile(model, backend=backend)(mine, y), model(theirs, y))
    assert torch.equal(mine, theirs) and matched(backend) == [[]]
    assert backend.report[0].near_misses[0]["kind"] == "mutation"
    assert "■ Relu: no match." in backend.explain()


def test_without_a_backward_the_graph_stays_as_it_was(tmp_path):
    backend = passes(folder(tmp_path / "p", Scaled=SCALED, Relu=RELU))
    model = Block()
    inputs = pair()
    with pytest.warns(NoBackward, match=r"launcher of Relu and Scaled.*no_grad"):
        found = torch.compile(model, backend=backend)(*inputs)
    gradients = torch.autograd.grad(found[1].sum(), list(model.parameters()))
    expected = torch.autograd.grad(model(*inputs)[1].sum(), list(model.parameters()))
    assert same(gradients, expected) and all(gradient.abs().sum() > 0 for gradient in gradients)
    (graph,) = backend.report
    assert graph.fallback and len(graph.matches) == 2
    assert "then eager, without the passes" in backend.explain() and "▲ Relu: add_1" in backend.explain()
    with torch.no_grad():
        assert same(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert backend.report[1].fallback is None


def test_frozen_parameters_need_no_backward(tmp_path, recwarn):
    backend = passes(folder(tmp_path / "p", Relu=RELU))
    model = Block().requires_grad_(False)
    inputs = pair()
    assert same(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert backend.report[0].fallback is None
    assert not [warning for warning in recwarn if warning.category is NoBackward]


def test_a_region_without_gradients_is_rewritten_in_a_model_that_trains(tmp_path, recwarn):
    linear = nn.Linear(8, 8)

    def model(x, y):
        with torch.no_grad():
            z = torch.relu(x + y)
        return linear(z).tanh()

    backend = passes(folder(tmp_path / "p", Relu=RELU))
    inputs = pair()
    found = torch.compile(model, backend=backend)(*inputs)
    assert torch.equal(found, model(*inputs)) and found.requires_grad
    assert [len(graph.matches) for graph in backend.report] == [1] and backend.report[0].fallback is None
    assert not [warning for warning in recwarn if warning.category is NoBackward]


@torch.no_grad()
def test_tensors_that_stand_for_a_batch_reach_no_kernel(tmp_path):
    backend = passes(folder(tmp_path / "p", Relu=RELU))
    inputs = pair()
    rows = torch.func.vmap(lambda x, y: torch.relu(x + y))
    with pytest.warns(UserWarning, match=r"graph 1 runs without the passes: it uses torch.func.vmap"):
        found = torch.compile(lambda x, y: rows(x, y), backend=backend)(*inputs)
    assert torch.equal(found, rows(*inputs)) and backend.report[0].fallback


@torch.inference_mode()
def test_inference_mode(tmp_path):
    backend = passes(folder(tmp_path / "p", Scaled=SCALED, Relu=RELU))
    model, inputs = Block(), pair()
    assert same(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert [len(graph.matches) for graph in backend.report] == [2]


CASTED = one("return torch.relu(x + y)", args='(x, y, "relu", 1, None)')


@torch.no_grad()
def test_a_match_within_autocast(tmp_path):
    linear = nn.Linear(8, 8)

    def model(x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = linear(x)
            z = torch.relu(h + y)
        return z * 2

    backend = passes(folder(tmp_path / "p", Relu=CASTED))
    x, y = torch.randn(4, 8), torch.randn(4, 8).bfloat16()
    found, expected = torch.compile(model, backend=backend)(x, y), model(x, y)
    assert found.dtype == expected.dtype == torch.bfloat16
    assert torch.equal(found, expected)
    assert [len(graph.matches) for graph in backend.report] == [1]


@torch.no_grad()
def test_a_match_across_the_end_of_autocast_is_left_alone(tmp_path):
    def model(x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = x @ y
            z = h + h
        return torch.relu(z)

    wide = one("h = x @ y\nreturn torch.relu(h + h)", args='(x, y, "relu", 1, None)')
    backend = passes(folder(tmp_path / "p", Relu=wide))
    inputs = torch.randn(8, 8), torch.randn(8, 8)
    assert torch.equal(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert backend.report[0].near_misses[0]["kind"] == "mutation"


@torch.no_grad()
def test_two_folders_in_one_process(tmp_path):
    first = passes(folder(tmp_path / "a", Relu=RELU))
    second = passes(folder(tmp_path / "b", Relu=one("return x + y", args='(x, y, "sum", 1, None)')))
    x, y = pair()
    assert torch.equal(torch.compile(lambda x, y: torch.relu(x + y), backend=first)(x, y), torch.relu(x + y))
    assert torch.equal(torch.compile(lambda x, y: torch.tanh(x + y), backend=second)(x, y), torch.tanh(x + y))
    assert matched(first) == [[("Relu", ("add", "relu"))]] and matched(second) == [[("Relu", ("add",))]]


@torch.no_grad()
def test_a_launcher_that_returns_too_much(tmp_path):
    backend = passes(folder(tmp_path / "p", Relu=one("return torch.relu(x + y)", args='(x, y, "both", 1, None)')))
    with pytest.raises(LauncherOutputs, match="combine returned 2 values; its pattern returns 1"):
        torch.compile(lambda x, y: torch.relu(x + y), backend=backend)(*pair())


def test_what_is_wrong_is_said_at_once(tmp_path):
    with pytest.raises(ValueError, match="'eager', 'inductor' or another"):
        passes(tmp_path, then="cuda")
    with pytest.raises(BadSubmission, match="sorted_output_pass_rule_names"):
        passes(tmp_path)
