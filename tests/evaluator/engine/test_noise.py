"""Eager against eager."""

import itertools

import torch
import torch.nn.functional as F  # noqa: N812

from evaluator.engine.noise import noise
from evaluator.scoring import EXACT


def traced(function):
    return torch.fx.symbolic_trace(function)


def test_a_deterministic_graph():
    found = noise(traced(lambda x: (x.softmax(-1), x.argmax())), [torch.randn(3, 4)])
    assert (found.deterministic, found.random, found.first_t) == (True, False, EXACT)


def test_a_random_graph_repeats_from_its_seed():
    found = noise(traced(lambda x: F.dropout(x, 0.5, True)), [torch.ones(64)])
    assert (found.deterministic, found.random, found.first_t) == (True, True, EXACT)


def test_a_graph_that_never_repeats():
    count = itertools.count()

    def drifts(x):
        return x + 1e-6 * next(count)

    graph = torch.fx.Graph()
    graph.output(graph.call_function(drifts, (graph.placeholder("x"),)))
    found = noise(torch.fx.GraphModule(torch.nn.Module(), graph), [torch.zeros(3)])
    assert (found.deterministic, found.random, found.first_t) == (False, False, -6)


def test_nan_repeats_too():
    found = noise(traced(lambda x: x / x), [torch.zeros(3)])
    assert (found.deterministic, found.random) == (True, False)


def test_inputs_and_generators_are_left_alone():
    x, state = torch.zeros(3), torch.get_rng_state()
    noise(traced(lambda x: F.dropout(x.add_(1), 0.5, True)), [x])
    assert x.tolist() == [0.0] * 3 and torch.equal(torch.get_rng_state(), state)
