"""Passes on programs of torch.export and in Inductor's pre-grad hook."""

import pytest
import torch
from pass_folders import RELU, SCALED, folder
from torch import nn

from evaluator.engine.backend import identity
from passnet_runtime import NoBackward, apply_to_export, pre_grad_pass
from passnet_runtime.exported import example_of
from passnet_runtime.record import Call, Record, write_record


@pytest.fixture(autouse=True)
def a_fresh_dynamo():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def verified(path, **passes):
    made = folder(path, **passes)
    inputs = {"x": "float32 [4, 8]", "y": "float32 [4, 8]"}
    write_record(made, Record(identity(made), "a test", tuple(Call(name, inputs) for name in passes)))
    return made


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, y):
        total = self.linear(x) + y * 3
        return total * 2, torch.relu(total), torch.relu(x + y)


def export(rows=4):
    inputs = torch.randn(rows, 8), torch.randn(rows, 8)
    return torch.export.export(Model().eval(), inputs), inputs


@torch.no_grad()
def test_patterns_are_lowered_like_the_program(tmp_path):
    program, inputs = export()
    found = apply_to_export(program, verified(tmp_path / "p", Scaled=SCALED, Relu=RELU))
    assert found.matches == (("Scaled", ("mul", "add", "relu")), ("Relu", ("add_1", "relu_1")))
    assert (found.left_alone, found.notes) == ((), ())
    for got, expected in zip(found.module(*inputs), program.module()(*inputs), strict=True):
        torch.testing.assert_close(got, expected)


@torch.no_grad()
def test_a_program_of_other_sizes_is_left_alone(tmp_path):
    program, inputs = export(rows=3)
    found = apply_to_export(program, verified(tmp_path / "p", Relu=RELU))
    assert found.matches == ()
    assert "not verified for x float32 [3, 8], y float32 [3, 8]" in found.left_alone[0]
    assert len(found.module(*inputs)) == 3


def test_a_program_whose_parameters_want_gradients_is_left_alone(tmp_path):
    program, _ = export()
    with pytest.warns(NoBackward):
        assert apply_to_export(program, verified(tmp_path / "p", Scaled=SCALED)).matches == ()


def test_without_a_record_it_is_not_known_how_to_lower(tmp_path):
    program, _ = export()
    with pytest.raises(ValueError, match="a record of this code has to lie beside it"):
        apply_to_export(program, folder(tmp_path / "p", Relu=RELU))


def test_values_of_a_record():
    assert example_of("float32 [2, 3]").shape == (2, 3)
    assert example_of("bfloat16 [2, 3] strides [1, 2]").stride() == (1, 2)
    assert example_of("float32 []").dim() == 0
    assert (example_of("0.5"), example_of("'relu'"), example_of("None")) == (0.5, "relu", None)


@torch.no_grad()
def test_inductor_calls_the_passes_in_its_own_hook(tmp_path):
    hook = pre_grad_pass(verified(tmp_path / "p", Relu=RELU))
    x, y = torch.randn(4, 8), torch.randn(4, 8)

    def model(x, y):
        return torch.relu(x + y) * 2

    compiled = torch.compile(model, options=hook.options())
    assert torch.equal(compiled(x, y), model(x, y))
    assert [len(graph.matches) for graph in hook.report] == [1]
    assert "● Relu: add, relu" in hook.explain()
    assert hook.uuid() != pre_grad_pass(tmp_path / "p", unverified="apply").uuid()
