"""Comparison of outputs, with values worked out by hand."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.engine import compare as module
from evaluator.engine.compare import compare, first_t, tolerances, verdict
from evaluator.scoring import EXACT
from evaluator.verdicts import Mismatch, Status


def one(a, b):
    (report,) = compare((a,), (b,))
    json.dumps(report, allow_nan=False)
    return report


def tensors(a, b, dtype=torch.float32):
    return one(torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype))


@pytest.mark.parametrize(
    ("dtype", "atol", "rtol"),
    [
        ("float32", 1e-5, 1.3e-6),  # torch.testing's own defaults
        ("float16", 1e-5, 1e-3),
        ("bfloat16", 1e-5, 1.6e-2),
        ("float64", 1e-7, 1e-7),
        ("int64", 0.0, 0.0),
        ("float8_e5m2", 0.0, 0.0),
    ],
)
def test_tolerances_at_minus_five(dtype, atol, rtol):
    assert tolerances(dtype, -5) == (pytest.approx(atol), pytest.approx(rtol, rel=0.01))


def test_equal():
    report = tensors([1.0, -2.0, math.inf], [1.0, -2.0, math.inf])
    assert report["first_t"] == EXACT and report["mismatch"] is None
    assert (report["max_abs"], report["max_rel"], report["differing"], report["elements"]) == (0.0, 0.0, 0, 3)
    assert report["expected_range"] == [-2.0, 1.0] and report["worst"] == []


def test_minus_zero_is_zero():
    assert tensors([0.0], [-0.0])["first_t"] == EXACT


@pytest.mark.parametrize(
    ("error", "t"),
    [(0.9e-10, -10), (1.1e-10, -9), (0.9e-5, -5), (1.1e-5, -4), (0.5, 0), (9.0, 1), (50.0, 2), (9e4, 5), (2e5, None)],
)
def test_first_t_near_zero_is_the_power_of_ten(error, t):
    # The reference is the error and the candidate 0, so that rtol · |b| is 0 and atol = 10^t decides alone.
    assert tensors([error], [0.0])["first_t"] == t


def test_rtol_is_of_the_candidate():
    # float32 at t = −5: atol 1e-5, rtol 10^−5.886 = 1.300e-6. With b = 1000: 1.0e-5 + 1.3e-3 = 0.00131 is allowed.
    assert tensors([1000.0013], [1000.0])["first_t"] == -5
    assert tensors([1000.0014], [1000.0])["first_t"] == -4
    # a = 10, b = 0: 10 ≤ 10^t first at t = 1
    assert tensors([10.0], [0.0])["first_t"] == 1
    # a = 0, b = 10: 10 ≤ 10^t + 10^(1.1772 t) · 10 holds from t = 0 on (1 + 10)
    assert tensors([0.0], [10.0])["first_t"] == 0


def test_float64_has_one_tolerance_for_both():
    # t = −10: 10^−14; with b = 1: 1e-14 + 1e-14 = 2e-14
    assert tensors([1 + 1.5e-14], [1.0], torch.float64)["first_t"] == -10
    assert tensors([1 + 2.5e-14], [1.0], torch.float64)["first_t"] == -9


@pytest.mark.parametrize("dtype", [torch.int64, torch.int8, torch.uint8, torch.bool, torch.complex64])
def test_exact_dtypes_are_equal_or_wrong(dtype):
    assert tensors([1, 0], [1, 0], dtype)["first_t"] == EXACT
    report = tensors([1, 0], [1, 1], dtype)
    assert report["first_t"] is None and report["mismatch"] is None and report["differing"] == 1
    assert report["max_abs"] == 1.0 and report["worst"][0]["index"] == [1]


def test_float8_is_exact():
    a = torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn)
    assert one(a, a)["first_t"] == EXACT
    assert one(a, (a.float() * 1.25).to(torch.float8_e4m3fn))["first_t"] is None


def test_nan_where_the_reference_has_none():
    for bad in (math.nan, math.inf, -math.inf):
        report = tensors([1.0, 2.0], [1.0, bad])
        assert report["mismatch"] == "nan" and report["first_t"] is None
        assert report["worst"] == [{"index": [1], "expected": 2.0, "found": str(bad)}]
        assert report["max_abs"] == 0.0  # over finite elements


def test_no_error_where_no_element_is_finite():
    report = tensors([1.0, 2.0], [math.nan, math.inf])
    assert (report["max_abs"], report["max_rel"], report["differing"]) == (None, None, 2)
    equal = tensors([math.inf, -math.inf], [math.inf, -math.inf])
    assert (equal["max_abs"], equal["differing"]) == (0.0, 0)


def test_nan_in_both_is_never_right_but_no_mismatch():
    report = tensors([math.nan, 1.0], [math.nan, 1.0])
    assert report["mismatch"] is None and report["first_t"] is None and report["differing"] == 1


def test_other_infinities_and_finite_values_for_them_are_never_right():
    for b in (-math.inf, 7.0, math.nan):
        report = tensors([math.inf], [b])
        assert report["mismatch"] is None and report["first_t"] is None


def test_dtype_mismatch_still_tells_the_distance():
    report = one(torch.tensor([1.0, 2.0]).half(), torch.tensor([1.0, 2.5]))
    assert (report["mismatch"], report["first_t"]) == ("dtype", None)
    assert (report["expected_dtype"], report["dtype"], report["max_abs"]) == ("float16", "float32", 0.5)


def test_shape_mismatch():
    report = one(torch.zeros(2, 3), torch.zeros(6))
    assert (report["mismatch"], report["first_t"], report["max_abs"]) == ("shape", None, None)
    assert (report["expected_shape"], report["shape"]) == ([2, 3], [6])


def test_number_of_outputs():
    x = torch.ones(2)
    reports = compare((x, x), (x,))
    assert [report["mismatch"] for report in reports] == ["count", "count"]
    assert reports[1]["dtype"] == "missing" and first_t(reports) is None
    assert [report["expected_dtype"] for report in compare((x,), (x, x))] == ["float32", "missing"]


def test_nested_outputs_are_laid_flat():
    x, y = torch.ones(2), torch.zeros(3)
    reports = compare((x, [y, {"k": 4}], None), ((x,), y, 4, None))
    assert [report["first_t"] for report in reports] == [EXACT] * 4
    assert [report["dtype"] for report in reports] == ["float32", "float32", "int", "NoneType"]


@pytest.mark.parametrize(
    ("a", "b", "t", "mismatch"),
    [
        (3, 3, EXACT, None),
        (3, 4, None, None),
        (3, 3.0, None, "dtype"),
        (True, 1, None, "dtype"),
        (None, None, EXACT, None),
        (None, 1, None, "dtype"),
        (math.nan, math.nan, None, None),
        ("a", "b", None, None),
        (0.5, 0.25, None, None),
    ],
)
def test_outputs_that_are_no_tensors(a, b, t, mismatch):
    report = one(a, b)
    assert (report["first_t"], report["mismatch"]) == (t, mismatch)


def test_a_tensor_for_a_number():
    assert one(3, torch.tensor(3))["mismatch"] == "dtype"


def test_errors_and_worst_elements():
    a, b = torch.zeros(4, 5), torch.zeros(4, 5)
    a[1, 2], b[1, 2] = 8.0, 10.0  # abs 2, rel 0.25
    a[3, 4], b[3, 4] = 1.0, 2.0  # abs 1, rel 1
    b[0, 0] = 0.5  # the reference is 0: no relative error
    report = one(a, b)
    assert (report["max_abs"], report["max_rel"], report["differing"]) == (2.0, 1.0, 3)
    # in units of what t = −5 allows: 1 / 1.26e-5, then 0.5 / 1.065e-5, then 2 / 2.3e-5
    assert [(w["index"], w["expected"], w["found"]) for w in report["worst"]] == [
        ([1, 2], 8.0, 10.0),
        ([3, 4], 1.0, 2.0),
        ([0, 0], 0.0, 0.5),
    ]


def test_what_is_not_finite_is_worst():
    report = tensors([1.0, 2.0, 3.0], [9e9, math.nan, 3.0])
    assert [w["index"] for w in report["worst"]] == [[1], [0]]


def test_chunks_give_the_same_report(monkeypatch):
    a = torch.randn(40, 7)
    b = a + torch.randn(40, 7) * 10.0 ** torch.randint(-9, 0, (40, 7))
    whole = one(a, b)
    monkeypatch.setattr(module, "CHUNK", 13)
    assert one(a, b) == whole


def test_strides_do_not_matter():
    a = torch.arange(12.0).reshape(3, 4)
    assert one(a.t(), a.t().contiguous())["first_t"] == EXACT
    assert one(torch.ones(3, 4), torch.ones(1).expand(3, 4))["first_t"] == EXACT
    report = one(a.t(), (a + torch.eye(3, 4)).t())
    assert report["worst"][0]["index"] == [0, 0] and report["differing"] == 3


def test_big_integers_are_not_rounded():
    assert tensors([2**60], [2**60 + 1], torch.int64)["first_t"] is None


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2), ()])
def test_empty_and_zero_dimensional(shape):
    assert one(torch.zeros(shape), torch.zeros(shape))["first_t"] == EXACT
    assert one(torch.zeros(()), torch.ones(()))["worst"][0]["index"] == []


def test_verdicts():
    def of(*reports):
        return verdict([{"mismatch": mismatch, "first_t": t} for mismatch, t in reports])

    assert of((None, -7), (None, EXACT)) == module.Verdict(Status.CORRECT, None, -7)
    assert of((None, -7), (None, -4)) == module.Verdict(Status.ACCURACY, None, -4)
    assert of((None, -7), (None, None)) == module.Verdict(Status.ACCURACY, None, None)
    assert of((None, -7), ("shape", None), ("nan", None)) == module.Verdict(Status.ACCURACY, Mismatch.SHAPE, None)
    assert of() == module.Verdict(Status.CORRECT, None, EXACT)


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32)), min_size=1, max_size=8),
    st.sampled_from([torch.float32, torch.float16, torch.bfloat16, torch.float64]),
)
def test_first_t_agrees_with_allclose(pairs, dtype):
    """The definition says torch.allclose; it rounds to the dtype, so it is asked in float64."""
    a = torch.tensor([a for a, _ in pairs]).to(dtype)
    b = torch.tensor([b for _, b in pairs]).to(dtype)
    name = str(dtype).removeprefix("torch.")

    def allowed(t):
        atol, rtol = tolerances(name, t)
        return torch.allclose(a.double(), b.double(), rtol=rtol, atol=atol)

    expected = EXACT if torch.equal(a, b) else next((t for t in range(-10, 6) if allowed(t)), None)
    report = one(a, b)
    if report["mismatch"] is None:  # float16 overflows to infinity
        assert report["first_t"] == expected
