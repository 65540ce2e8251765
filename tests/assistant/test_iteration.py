"""Curves worked out by hand."""

import pytest

from assistant.author_curves import polyline
from assistant.iteration import Point, curve, share_reached, share_wavering


def points(*correct, total=2, score=None, verdict="clean"):
    return [Point(one, total, score, verdict) for one in correct]


def test_the_first_evaluation_against_the_best():
    found = curve(points(1, 0, 2, 1))
    assert found.values == (0.5, 0.0, 1.0, 0.5) and found.best_so_far == (0.5, 0.5, 1.0, 1.0)
    assert (found.first, found.best, found.best_at, found.reached) == (0.5, 1.0, 3, 0.5)


@pytest.mark.parametrize(
    ("correct", "passed", "wavered"),
    [
        ((2, 2), True, False),
        ((0, 2, 2), True, False),
        ((2, 0, 0), True, False),
        ((2, 1, 2), True, True),
        ((0, 2, 0, 0, 2), True, True),
        ((0, 1, 0, 1), False, False),
    ],
)
def test_pass_fail_pass(correct, passed, wavered):
    found = curve(points(*correct))
    assert (found.passed, found.wavered) == (passed, wavered)


def test_a_score_goes_before_the_share_and_a_violation_is_nothing():
    found = curve([Point(2, 2, 0.8, "clean"), Point(2, 2, 9.0, "violation"), Point(2, 2, 1.6, "clean")])
    assert found.values == (0.8, 0.0, 1.6) and found.reached == 0.5 and found.wavered


def test_shares_over_tasks():
    # Of the last nothing was reached at all; what was evaluated once says nothing, since that is its best, too.
    curves = [curve(points(2, 1, 2)), curve(points(1, 2)), curve(points(0, 0))]
    assert share_wavering(curves) == 0.5 and share_reached(curves) == 0.75
    assert share_reached([*curves, curve(points(1))]) == 0.75 and share_reached([curve(points(2))]) is None
    assert share_wavering([]) is None is share_reached([])


def test_a_drawing():
    assert polyline((0.0, 1.0, 0.5), 1.0) == "0.0,30.0 80.0,2.0 160.0,16.0"
    assert polyline((0.0,), 0.0) == "0.0,30.0 160.0,30.0"
