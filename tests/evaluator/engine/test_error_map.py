"""Maps of errors, by hand."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.engine.error_map import error_map


def test_one_wrong_column():
    a = torch.zeros(3, 4)
    b = a.clone()
    b[:, 2] = torch.tensor([1.0, -2.0, 3.0])
    assert error_map(a, b) == {
        "dims": [0, 1],
        "sizes": [3, 4],
        "cells": [[0, 0, 1.0, 0], [0, 0, 2.0, 0], [0, 0, 3.0, 0]],
    }


def test_nothing_differs():
    assert error_map(torch.ones(3), torch.ones(3)) is None
    assert error_map(torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf])) is None
    assert error_map(torch.zeros(0, 4), torch.zeros(0, 4)) is None


@pytest.mark.parametrize(("a", "b"), [(torch.ones(2), torch.ones(3)), (3, 4), (torch.ones(1), None)])
def test_what_has_no_partner(a, b):
    assert error_map(a, b) is None


def test_small_dimensions_are_reduced():
    a = torch.zeros(2, 5, 3, 4)
    b = a.clone()
    b[1, 4, 0, 3], b[0, 4, 2, 3], b[0, 0, 1, 1] = 7.0, 2.0, 1.0
    found = error_map(a, b)
    assert (found["dims"], found["sizes"]) == ([1, 3], [5, 4])
    expected = torch.zeros(5, 4)
    expected[4, 3], expected[0, 1] = 7.0, 1.0
    assert found["cells"] == expected.tolist()


@pytest.mark.parametrize("shape", [(1, 200, 130), (200, 1, 130), (200, 130, 3), (3, 200, 130)])
def test_big_outputs_share_cells(shape):
    a = torch.zeros(shape)
    b = a.clone()
    at = [0 if size < 4 else size - 1 for size in shape]
    b[tuple(at)] = 5.0
    found = error_map(a, b)
    assert found["sizes"] == [200, 130] and len(found["cells"]) == len(found["cells"][0]) == 64
    assert found["cells"][63][63] == 5.0 and sum(map(sum, found["cells"])) == 5.0


def test_one_dimension_and_none():
    found = error_map(torch.zeros(100), torch.arange(100.0))
    assert found["dims"] == [0] and len(found["cells"]) == 1 and found["cells"][0][-1] == 99.0
    assert error_map(torch.tensor(1.0), torch.tensor(3.0)) == {"dims": [], "sizes": [], "cells": [[2.0]]}


def test_what_is_not_finite_is_none():
    found = error_map(torch.tensor([1.0, math.inf, 2.0, 3.0]), torch.tensor([math.nan, -math.inf, 2.0, 3.5]))
    assert found["cells"] == [[None, None, 0.0, 0.5]]
    json.dumps(found, allow_nan=False)


def test_integers_and_booleans():
    assert error_map(torch.tensor([1, 5]), torch.tensor([1, 2]))["cells"] == [[0.0, 3.0]]
    assert error_map(torch.tensor([True, False]), torch.tensor([True, True]))["cells"] == [[0.0, 1.0]]


@given(st.lists(st.integers(1, 9), min_size=0, max_size=4))
def test_the_largest_error_is_on_the_map(shape):
    a, b = torch.randn(shape), torch.randn(shape)
    found = error_map(a, b)
    assert max(map(max, found["cells"])) == pytest.approx(float((a.double() - b.double()).abs().max()), rel=0.006)


def test_slices_give_the_same_map(monkeypatch):
    a, b = torch.randn(90, 5, 70), torch.randn(90, 5, 70)
    whole = error_map(a, b)
    monkeypatch.setattr("evaluator.engine.error_map.CHUNK", 1000)
    assert error_map(a, b) == whole
