"""What is said about an output that is not correct."""

import torch

from evaluator.engine.compare import compare, verdict
from evaluator.runner.words import inaccuracy


def said(expected, found):
    reports = compare((expected,), (found,))
    return inaccuracy(reports, verdict(reports))


def test_nan_on_both_sides_is_the_graphs_own():
    expected = torch.tensor([1.0, float("nan"), 3.0, float("nan")])
    words = said(expected, expected.clone())
    assert words.startswith("Output 0: the graph itself gives NaN, as the pass does (2 of 4 elements differ")
    assert words.endswith("NaN equals nothing, so no t accepts it.")


def test_nan_on_one_side_is_not():
    assert "has NaN or Inf where the graph has none" in said(torch.ones(2), torch.tensor([1.0, float("nan")]))
    number = said(torch.tensor([float("nan"), 1.0]), torch.ones(2))
    assert number.startswith("Output 0 is correct at no t") and number.endswith("1 instead of nan.")
