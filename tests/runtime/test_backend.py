"""`passes(...)` of the runtime: held to what the passes were verified for. Everything runs in Triton's interpreter."""

import json
import warnings
from pathlib import Path

import pytest
import torch
from pass_folders import RELU, SCALED, folder

from evaluator.engine.backend import identity
from passnet_runtime import NoBackward, Unverified, passes
from passnet_runtime.backend import labels
from passnet_runtime.record import Call, Record, write_record


@pytest.fixture(autouse=True)
def a_fresh_dynamo():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def model(x, y):
    return torch.relu(x + y) * 2


def pair(rows=4, dtype=torch.float32):
    return torch.randn(rows, 8, dtype=dtype), torch.randn(rows, 8, dtype=dtype)


def verified(path, *rows, text="float32 [{}, 8]", under=""):
    """The Relu pass, with a record that lists these numbers of rows."""
    made = folder(path, Relu=RELU)
    calls = [Call("Relu", {"x": text.format(n), "y": text.format(n)}, under) for n in rows]
    write_record(made, Record(identity(made), "a test", tuple(calls)))
    return made


def matches(backend):
    return [len(graph.matches) for graph in backend.report]


@torch.no_grad()
def test_only_sizes_that_were_verified_are_replaced(tmp_path):
    backend = passes(verified(tmp_path / "p", 4), then="eager")
    for rows in (4, 5):
        torch._dynamo.reset()
        inputs = pair(rows)
        assert torch.equal(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert matches(backend) == [1, 0]
    assert backend.report[1].left_alone == (
        "Relu: add, relu is left alone: not verified for x float32 [5, 8], y float32 [5, 8]",
    )
    assert backend.report[1].near_misses == ()
    assert "○ Relu: add, relu is left alone" in backend.explain()


@torch.no_grad()
def test_sizes_may_be_allowed_and_dtypes_are_not_then(tmp_path):
    backend = passes(verified(tmp_path / "p", 4), then="eager", unverified="sizes")
    for inputs in (pair(5), pair(4, torch.float64)):
        torch._dynamo.reset()
        torch.compile(model, backend=backend)(*inputs)
    assert matches(backend) == [1, 0]


@torch.no_grad()
def test_a_size_that_dynamo_keeps_open_is_not_verified_unless_sizes_are_allowed(tmp_path):
    made = verified(tmp_path / "p", 4)
    found = []
    for allowed in ("leave", "sizes"):
        torch._dynamo.reset()
        backend = passes(made, then="eager", unverified=allowed)
        inputs = pair()
        assert torch.equal(torch.compile(model, backend=backend, dynamic=True)(*inputs), model(*inputs))
        found += matches(backend)
    assert found == [0, 1]


@torch.no_grad()
def test_other_strides_are_another_call(tmp_path):
    backend = passes(verified(tmp_path / "p", 8), then="eager")
    x = torch.randn(8, 8)
    torch.compile(model, backend=backend)(x.t(), x)
    assert "not verified for x float32 [8, 8] strides [1, 8], y float32 [8, 8]" in backend.report[0].left_alone[0]


@torch.no_grad()
def test_autocast_is_part_of_what_was_verified(tmp_path):
    plain, cast = verified(tmp_path / "p", 4), verified(tmp_path / "q", 4, under="cpu bfloat16")
    for made, expected in ((plain, 0), (cast, 1)):
        torch._dynamo.reset()
        backend = passes(made, then="eager")
        with torch.autocast("cpu", torch.bfloat16):
            torch.compile(model, backend=backend)(*pair())
        assert matches(backend) == [expected]


@torch.no_grad()
def test_without_a_record_or_with_one_of_other_code_nothing_is_replaced(tmp_path):
    bare = folder(tmp_path / "bare", Relu=RELU)
    with pytest.warns(Unverified, match="no verification record lies beside it"):
        backend = passes(bare, then="eager")
    torch.compile(model, backend=backend)(*pair())
    assert matches(backend) == [0]
    changed = verified(tmp_path / "p", 4)
    (changed / "Relu.py").write_text(RELU + "\n# another program\n")
    with pytest.warns(Unverified, match="its code is not what was verified"):
        passes(changed, then="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        allowed = passes(bare, then="eager", unverified="apply")
    torch._dynamo.reset()
    torch.compile(model, backend=allowed)(*pair())
    assert matches(allowed) == [1]


@torch.no_grad()
def test_two_folders_go_together_and_both_run(tmp_path):
    first = folder(tmp_path / "a", Scaled=SCALED)
    second = folder(tmp_path / "b", Relu=RELU)
    backend = passes(first, second, then="eager", unverified="apply")

    def both(x, y):
        total = x + y * 3
        return torch.relu(total) - total, torch.relu(x + y)

    inputs = pair()
    for found, expected in zip(torch.compile(both, backend=backend)(*inputs), both(*inputs), strict=True):
        torch.testing.assert_close(found, expected)
    assert [match.pass_name for match in backend.report[0].matches] == ["a/Scaled", "b/Relu"]


def test_folders_have_labels_of_their_own():
    one, two = Path("/l/bundles/fuse/1.0.0/passes"), Path("/l/bundles/norm/1.0.0/passes")
    assert labels([one]) == ("",)
    assert labels([one, two]) == ("fuse 1.0.0/", "norm 1.0.0/")
    assert labels([Path("/a/p"), Path("/b/p"), Path("/c/p")]) == ("p/", "p#2/", "p#3/")


@torch.no_grad()
def test_any_backend_takes_the_rest_with_launchers_as_operators(tmp_path):
    seen = []

    def mine(module, inputs):
        seen.append([str(node.target) for node in module.graph.nodes if node.op == "call_function"])
        return module.forward

    inputs = pair()
    for then in (mine, "aot_eager"):
        torch._dynamo.reset()
        backend = passes(verified(tmp_path / getattr(then, "__name__", "named"), 4), then=then)
        assert torch.equal(torch.compile(model, backend=backend)(*inputs), model(*inputs))
        assert matches(backend) == [1]
    assert seen[0][0].startswith("passnet.Relu_") and len(seen[0]) == 2
    assert backend.report[0].then == "aot_eager"


def test_training_falls_back_with_a_warning_and_right_gradients(tmp_path):
    backend = passes(verified(tmp_path / "p", 4), then="eager")
    x, y = pair()
    x.requires_grad_()
    with pytest.warns(NoBackward, match="no backward"):
        torch.compile(model, backend=backend)(x, y).sum().backward()
    assert torch.equal(x.grad, 2.0 * (x + y > 0))


def test_what_is_wrong_is_said_at_once(tmp_path):
    with pytest.raises(ValueError, match="name at least one folder"):
        passes()
    made = verified(tmp_path / "p", 4)
    with pytest.raises(ValueError, match="'leave', 'sizes', 'apply'"):
        passes(made, unverified="yes")
    record = tmp_path / "p.verified.json"
    record.write_text(json.dumps({"format": "something else"}))
    with pytest.raises(ValueError, match=r"p\.verified\.json: its format is not 'passnet-verified/1'"):
        passes(made)
