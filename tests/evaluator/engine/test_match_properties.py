"""Whatever is matched in whatever graph: the rewritten graph computes what the original computes."""

import operator
from random import Random

import pytest
import torch
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from pass_helpers import apply, rule
from random_graphs import changes, cut_out, random_module
from torch.fx import GraphModule

from evaluator.engine.printed import rewritten_source, to_fx_graph
from graphs.fx_source import parse

MANY = settings(max_examples=150, deadline=None)


def run(module: GraphModule):
    """Outputs, and what has become of the inputs."""
    generator = torch.Generator().manual_seed(0)
    inputs = [torch.randn(4, 4, generator=generator, dtype=torch.float64) for _ in range(2)]
    with torch.no_grad():
        outputs = [value.clone() for value in module(*inputs)]
    return outputs, inputs


def runnable(module: GraphModule):
    """Like run; some of the random graphs torch refuses to run (`x *= x.T`)."""
    try:
        return run(module)
    except RuntimeError as error:
        if "single memory location" not in str(error):
            raise
        reject()


def same(found, expected):
    return all(torch.allclose(*pair, rtol=0, atol=0, equal_nan=True) for pair in zip(found, expected, strict=True))


def pure(pattern):
    """A launcher that computes the pattern in memory of its own, as kernels mostly do."""

    def launcher(*args):
        found = pattern(*(value.clone() if isinstance(value, torch.Tensor) else value for value in args))
        return tuple(value.clone() for value in found) if isinstance(found, tuple) else found.clone()

    return launcher


def faithful(pattern):
    """A launcher that changes and shares what the pattern changes and shares.

    Not for `+=`: that may stand for a plain `+`, so that its launcher must not change anything.
    """
    if any(node.target in (operator.iadd, operator.imul) for node in pattern.graph.nodes):
        return pure(pattern)
    return lambda *args: pattern(*args)


@MANY
@given(st.integers(0, 2**32), st.integers(2, 14), st.sampled_from([0.0, 0.2, 0.5]), st.integers(1, 5))
def test_a_rewrite_keeps_the_meaning(seed, size, share, most):
    random = Random(seed)
    module = random_module(random, size, share)
    pattern = cut_out(random, module, most)
    before, inputs_before = runnable(module)
    for launcher in (pure(pattern), faithful(pattern)):
        applied = apply(module, rule(pattern, launcher=launcher))
        after, inputs_after = run(applied.module)
        assert same(after, before)
        mirrors = any(changes(node) for node in pattern.graph.nodes)
        if not mirrors:  # only what stands in a pattern may change a caller's tensors differently
            assert same(inputs_after, inputs_before)


@MANY
@given(st.integers(0, 2**32), st.integers(2, 14), st.integers(1, 5))
def test_augmented_assignment_may_stand_for_the_plain_operator(seed, size, most):
    random = Random(seed)
    module = random_module(random, size, 0.3)
    pattern = cut_out(random, module, most, flips=0.7)
    expected, _ = runnable(module)
    applied = apply(module, rule(pattern, launcher=pure(pattern)))
    assert same(runnable(applied.module)[0], expected)  # `x += x.T` may have come into the launcher, too


@MANY
@given(st.integers(0, 2**32), st.integers(4, 20), st.sampled_from([0.0, 0.3]))
def test_passes_one_after_another_keep_the_meaning(seed, size, share):
    random = Random(seed)
    module = random_module(random, size, share)
    patterns = [cut_out(random, module, 3) for _ in range(3)]
    kinds = [random.choice([pure, faithful]) for _ in patterns]
    passes = [
        rule(pattern, launcher=kind(pattern), name=f"Pass{index}")
        for index, (pattern, kind) in enumerate(zip(patterns, kinds, strict=True))
    ]
    expected, _ = runnable(module)
    applied = apply(module, *passes)
    assert same(run(applied.module)[0], expected)
    assert sum(applied.per_pass.values()) == applied.matches == len(applied.matched_nodes)


@MANY
@given(st.integers(0, 2**32), st.integers(2, 14), st.integers(1, 5))
def test_without_changes_a_pattern_cut_out_of_a_graph_matches_or_says_why(seed, size, most):
    random = Random(seed)
    module = random_module(random, size, 0.0)
    pattern = cut_out(random, module, most)
    applied = apply(module, rule(pattern, launcher=pure(pattern)))
    if applied.matches == 0:
        (found,) = applied.near_misses
        assert found["kind"] == "leak", found


@MANY
@given(st.integers(0, 2**32), st.integers(2, 14), st.sampled_from([0.0, 0.3]))
def test_rewritten_code_reads_back_as_the_same_graph(seed, size, share):
    random = Random(seed)
    module = random_module(random, size, share)
    pattern = cut_out(random, module, 3)
    applied = apply(module, rule(pattern, launcher=pure(pattern)))
    assert parse(rewritten_source(applied.module)) == to_fx_graph(applied.module)


@MANY
@given(st.integers(0, 2**32), st.integers(2, 10), st.integers(0, 2**32))
def test_a_near_miss_is_always_found_and_plain(seed, size, other):
    """A pattern from another graph: whatever happens, the answer is well formed."""
    module = random_module(Random(seed), size, 0.2)
    pattern = cut_out(Random(other), random_module(Random(other), 8, 0.2), 4)
    applied = apply(module, rule(pattern, launcher=pure(pattern)))
    for found in applied.near_misses:
        assert found["message"].endswith(".") and "\n" not in found["message"]
        assert len(found["matched"]) <= found["pattern_size"]
        if found["kind"] == "leak":
            assert found["leaks"] or "→" in found["message"]
        elif found["kind"] not in ("absent", "mutation"):
            assert len(found["matched"]) < found["pattern_size"] or found["pattern_node"] is None


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_same_every_time(seed):
    module = random_module(Random(seed), 12, 0.2)
    pattern = cut_out(Random(seed), module, 3)
    one, other = (apply(module, rule(pattern, launcher=pure(pattern))) for _ in range(2))
    assert (one.matched_nodes, one.near_misses, one.new_nodes) == (
        other.matched_nodes,
        other.near_misses,
        other.new_nodes,
    )
