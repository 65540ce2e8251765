"""What is said about outputs that are not correct."""

import torch
import torch.nn.functional as F  # noqa: N812

from evaluator.engine.compare import compare
from evaluator.engine.explain import explain, more_accurate


def long_sum(x):
    total = x[0]
    for row in range(1, 64):
        total = total + x[row]
    return (total, x * 2)


def explained(function, inputs, found, **options):
    module = torch.fx.symbolic_trace(function)
    expected = module(*[value.clone() for value in inputs])
    reports = compare(expected, found)
    return explain(module, inputs, expected, found, reports, **options), reports


def test_a_correct_result_needs_no_explanation():
    x = torch.rand(64, 5)
    found, reports = explained(long_sum, [x], torch.fx.symbolic_trace(long_sum)(x))
    assert found == {} and more_accurate(found, reports) is None


def test_more_accurate_than_the_reference():
    x = torch.rand(64, 200).half()
    found, reports = explained(long_sum, [x], (x.float().sum(0).half(), x * 2))
    assert found["noise"] == {"deterministic": True, "random": False, "first_t": -99}
    assert found["truth"][0]["nearer"] == "candidate" and found["truth_note"].startswith("Every operator")
    assert found["error_maps"][0]["sizes"] == [200] and found["error_maps"][1] is None
    assert more_accurate(found, reports).startswith("More accurate than the reference: against a float64 evaluation")


def test_a_wrong_result_is_not_more_accurate():
    x = torch.rand(64, 20).half()
    found, reports = explained(long_sum, [x], (x.float().sum(0).half(), x * 3))
    assert found["truth"][1]["nearer"] == "eager" and more_accurate(found, reports) is None


def test_casts_are_named():
    x = torch.rand(4)
    found, _ = explained(lambda x: ((x * 3).half().float() * 3,), [x], (x * 9.1,))
    assert found["truth_note"] == (
        "Every operator was evaluated in float64; casts that the graph spells out still round (half)."
    )


def test_a_random_graph_has_no_truth():
    found, _ = explained(lambda x: (F.dropout(x, 0.5, True),), [torch.ones(64)], (torch.ones(64),))
    assert found["noise"]["random"] and "truth" not in found and "random numbers" in found["truth_note"]


def test_other_shapes_have_neither_map_nor_truth():
    found, _ = explained(lambda x: (x * 2,), [torch.ones(4)], (torch.ones(2, 2),))
    assert found == {"error_maps": [None]}


def test_another_dtype_is_not_more_accurate_but_explained():
    x = torch.rand(64, 200).half()
    found, reports = explained(long_sum, [x], (x.float().sum(0), x * 2))
    assert found["truth"][0]["nearer"] == "candidate" and more_accurate(found, reports) is None


def test_what_takes_too_long_is_left_out():
    found, _ = explained(lambda x: (x * 2,), [torch.ones(4)], (torch.ones(4),), seconds=0.0)
    assert "truth" not in found and "too large" in found["truth_note"] and found["error_maps"] != [None]
