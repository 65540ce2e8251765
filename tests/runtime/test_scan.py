"""What a scan expects of a model, from recorded speed-ups and measured times."""

import pytest
import torch
from pass_folders import RELU, folder

from evaluator.engine.backend import identity
from passnet_runtime.record import Call, Record, write_record
from passnet_runtime.scan import BadFactory, model_of, scan


def model(x, y):
    return torch.relu(x + y) @ y.t()


def recorded(path, **speedup):
    made = folder(path, Relu=RELU)
    call = Call("Relu", {"x": "float32 [4, 8]", "y": "float32 [4, 8]"}, device="cpu", speedup=speedup or None)
    write_record(made, Record(identity(made), "a test", (call,)))
    return made


def test_the_gain_of_the_whole_is_that_of_the_part_by_its_share(tmp_path):
    inputs = torch.randn(4, 8), torch.randn(4, 8)
    found = scan(model, inputs, [recorded(tmp_path / "p", e2e=4.0, graph=2.0)])
    (one,) = found.found
    assert (found.graphs, found.operations) == (1, 4)  # add, relu, t, matmul
    assert (one.pass_name, one.nodes, one.speedup, one.method) == ("Relu", ("add", "relu"), 2.0, "graph")
    assert 0 < one.share < 1
    assert found.expected == pytest.approx(1 / (1 - one.share / 2))  # half of its time is saved


def test_without_a_recorded_speed_nothing_is_expected(tmp_path):
    found = scan(model, (torch.randn(4, 8), torch.randn(4, 8)), [recorded(tmp_path / "p")])
    assert (len(found.found), found.found[0].speedup, found.expected) == (1, None, None)


def test_what_is_no_factory_is_said(tmp_path, monkeypatch):
    (tmp_path / "scanned_models.py").write_text("def one():\n    return 1\n")
    monkeypatch.chdir(tmp_path)
    for spec, why in (
        ("scanned_models", "write module:factory"),
        ("no_such_models:one", "No module named"),
        ("scanned_models:two", "has no attribute 'two'"),
        ("scanned_models:one", "has to return"),
    ):
        with pytest.raises(BadFactory, match=why):
            model_of(spec)
