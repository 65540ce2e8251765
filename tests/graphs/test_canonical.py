"""Which graphs share a canonical hash, and which must not."""

import pytest

from graphs.canonical import canonical_hash
from graphs.fx_source import parse


def hash_of(signature: str, *lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return canonical_hash(parse(f"def forward(self, {signature}):\n{body}"))


ONE = hash_of("a, b", "x = torch.relu(a)", "y = torch.sigmoid(b)", "z = x - y", "return (z, x)")


@pytest.mark.parametrize(
    ("signature", "lines"),
    [
        ("in_0, in_1", ["t = torch.relu(in_0)", "u = torch.sigmoid(in_1)", "v = t - u", "return (v, t)"]),
        ("a, b", ["y = torch.sigmoid(b)", "x = torch.relu(a)", "z = x - y", "return (z, x)"]),
        ("b, a", ["x = torch.relu(a)", "y = torch.sigmoid(b)", "z = x - y", "return (z, x)"]),
        ("a: torch.Tensor, b", ["x = torch.relu(a);  a = None", "return (x - torch.sigmoid(b), x)"]),
    ],
    ids=["names", "order of independent nodes", "order of inputs", "annotations, clean-up and nesting"],
)
def test_what_does_not_count(signature: str, lines: list[str]) -> None:
    assert hash_of(signature, *lines) == ONE


@pytest.mark.parametrize(
    ("signature", "lines"),
    [
        ("a, b", ["x = torch.relu(a)", "y = torch.sigmoid(b)", "z = y - x", "return (z, x)"]),
        ("a, b", ["x = torch.relu(a)", "y = torch.sigmoid(b)", "z = x - y", "return (x, z)"]),
        ("a, b", ["x = torch.relu(a)", "y = torch.sigmoid(a)", "z = x - y", "return (z, x)"]),
        ("a, b", ["x = torch.relu(a)", "y = torch.tanh(b)", "z = x - y", "return (z, x)"]),
        ("a, b, c", ["x = torch.relu(a)", "y = torch.sigmoid(b)", "z = x - y", "return (z, x)"]),
    ],
    ids=["order of arguments", "order of outputs", "which input", "operator", "an input that nobody uses"],
)
def test_what_counts(signature: str, lines: list[str]) -> None:
    assert hash_of(signature, *lines) != ONE


def test_a_value_used_twice_is_not_two_equal_values() -> None:
    twice = hash_of("a, b", "x = torch.relu(a)", "return (x + x,)")
    assert twice != hash_of("a, b", "x = torch.relu(a)", "y = torch.relu(b)", "return (x + y,)")
    assert twice != hash_of("a, b", "x = torch.relu(a)", "y = torch.relu(a)", "return (x + y,)")


@pytest.mark.parametrize(
    "write",
    [
        "w = {0}.add_(1)",
        "w = torch.relu({0}, inplace = True)",
        "w = torch.nn.functional.dropout({0}, 0.5, False, True)",
        "{0}[0] = 1; w = {0}.view(-1)",
        "{0} += 1; w = {0}",
    ],
)
def test_order_counts_where_something_is_written(write: str) -> None:
    before = hash_of("a", "r = a * 2", write.format("a"), "return (r, w)")
    assert before != hash_of("a", write.format("a"), "r = a * 2", "return (r, w)")
    assert before == hash_of("q", "s = q * 2", write.format("q"), "return (s, w)")


def test_constants_of_different_kinds_differ() -> None:
    assert len({hash_of("a", f"return (torch.add(a, {constant}),)") for constant in ("1", "1.0", "True", "'1'")}) == 4
    assert hash_of("a", "return (a.sum(dim = 1, keepdim = True),)") == hash_of(
        "a", "return (a.sum(keepdim = True, dim = 1),)"
    )


def test_long_chains_do_not_run_out_of_stack() -> None:
    lines = ["x_0 = torch.relu(a)", *(f"x_{i} = torch.relu(x_{i - 1})" for i in range(1, 5000))]
    assert len(hash_of("a", *lines, "return (x_4999,)")) == 64
