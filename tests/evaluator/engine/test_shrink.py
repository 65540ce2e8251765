"""Smaller inputs that still fail."""

from evaluator.engine.shrink import shrink
from graphs.samples import TensorMeta

METAS = [TensorMeta("x", (4, 33, 96), "float32"), TensorMeta("mask", (4, 33, 1), "float32")]


def shapes(metas):
    return [meta.shape for meta in metas]


def test_dimensions_of_one_size_shrink_together():
    assert shapes(shrink(METAS, lambda metas: True)) == [(1, 1, 1), (1, 1, 1)]


def test_as_far_as_the_failure_allows():
    # fails only where the middle dimension is longer than 8: 33 → 16 → and 8 no longer fails
    assert shapes(shrink(METAS, lambda metas: metas[0].shape[1] > 8)) == [(1, 16, 1), (1, 16, 1)]


def test_what_does_not_run_is_no_smaller_input():
    assert shapes(shrink(METAS, lambda metas: metas[0].shape[2] == 96)) == [(1, 1, 96), (1, 1, 1)]


def test_tries_are_bounded():
    calls = []
    shrink(METAS, lambda metas: calls.append(metas) or False, tries=5)
    assert len(calls) == 5


def test_exact_data_is_cut_and_numbers_follow():
    metas = [TensorMeta("ids", (2, 3), "int64", data=(1, 2, 3, 4, 5, 6)), TensorMeta("n", (), "int64", data=(3,))]
    small = shrink(metas, lambda metas: metas[0].shape[0] == 2 and metas[0].shape[1] > 1)
    assert [(meta.shape, meta.data) for meta in small] == [((2, 2), (1, 2, 4, 5)), ((), (2,))]
    small = shrink(metas, lambda metas: metas[0].shape == (2, 1))
    assert [(meta.shape, meta.data) for meta in small] == [((2, 1), (1, 4)), ((), (1,))]
