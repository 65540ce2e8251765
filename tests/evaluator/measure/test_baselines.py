"""Calls through torch.compile return what the participant returned; a compiled baseline is found again."""

import pytest
import torch
from torch._dynamo.utils import counters
from torch.fx import symbolic_trace

from evaluator.measure.baselines import INDUCTOR_MODES, all_through_torch_compile, compile_baseline
from evaluator.runner import seeds

X = torch.tensor([[1.0, -2.0], [3.0, 4.0]])
Y = torch.tensor([10.0, 20.0])


def one(x, y):
    return x + y


def two(x, y):
    return x + y, (x * y).relu()


def nested(x, y):
    return [x + y, (x - y,)]


def with_input(x, y):
    return x, x + y


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()


@pytest.mark.parametrize("graph", [one, two, nested])
def test_each_participant_answers_through_torch_compile(graph):
    module = symbolic_trace(graph)

    def doubled(x, y):
        return torch.utils._pytree.tree_map(lambda value: 2 * value, graph(x, y))

    through, missing = all_through_torch_compile(module, {"eager": module.forward, "candidate": doubled}, [X, Y])
    assert not missing
    leaves = torch.utils._pytree.tree_leaves
    for name, factor in (("eager", 1), ("candidate", 2), ("eager", 1)):
        found, wanted = leaves(through[name](X, Y)), leaves(graph(X, Y))
        assert len(found) == len(wanted)
        assert all(torch.equal(a, factor * b) for a, b in zip(found, wanted, strict=True))


def test_the_module_is_compiled_once_for_all():
    module = symbolic_trace(two)
    counters.clear()
    all_through_torch_compile(module, {"eager": module.forward, "a": module.forward, "b": module.forward}, [X, Y])
    assert counters["stats"]["unique_graphs"] == 1


def test_a_graph_whose_outputs_dynamo_knows_otherwise_is_not_timed_by_it():
    module = symbolic_trace(with_input)  # Dynamo returns its own input without asking the graph
    through, missing = all_through_torch_compile(module, {"eager": module.forward}, [X, Y])
    assert not through and "1 outputs where the graph has 2" in missing["eager"]


def test_every_mode_of_inductor_compiles():
    module = symbolic_trace(two)
    with seeds.fresh_caches():
        for name in INDUCTOR_MODES:
            torch._dynamo.reset()
            found = compile_baseline(name, module, [X, Y]).call(X, Y)
            assert [value.tolist() for value in found] == [[[11.0, 18.0], [13.0, 24.0]], [[10.0, 0.0], [30.0, 80.0]]]


def test_an_installed_package_offers_another_compiler(tmp_path, monkeypatch):
    (tmp_path / "halves.py").write_text("def backend(module, inputs):\n    return lambda *values: module(*values)\n")
    distribution = tmp_path / "halves-1.0.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: halves\nVersion: 1.0\n")
    (distribution / "entry_points.txt").write_text("[passnet.baselines]\nhalves = halves:backend\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = compile_baseline("halves", symbolic_trace(one), [X, Y])
    assert found.call(X, Y).tolist() == [[11.0, 18.0], [13.0, 24.0]]
    with pytest.raises(LookupError, match="inductor reduce-overhead, halves"):
        compile_baseline("thirds", symbolic_trace(one), [X, Y])


def test_a_compiled_graph_is_found_again_where_a_seed_of_it_lies(tmp_path, monkeypatch):
    monkeypatch.setenv("PASSNET_EVALUATOR_CACHE", str(tmp_path))
    module, seed = symbolic_trace(two), tmp_path / "seed.zip"
    seeds.make(seed, lambda: compile_baseline("inductor", module, [X, Y]))
    assert "def call(" in (seeds.generated_code(seed) or "")
    counters.clear()
    torch._dynamo.reset()
    with seeds.fresh_caches():
        seeds.unpack(seed.read_bytes())
        call = compile_baseline("inductor", module, [X, Y]).call
        found = call(X, Y)
    assert counters["aot_autograd"]["autograd_cache_hit"] == 1
    assert [value.tolist() for value in found] == [[[11.0, 18.0], [13.0, 24.0]], [[10.0, 0.0], [30.0, 80.0]]]
