"""Statistics of boards, against values that a person worked out and against published ones."""

import math
import subprocess
import sys

import pytest

from submissions.statistics import (
    Estimate,
    Rounds,
    agreement,
    bootstrap_ratio,
    bradley_terry,
    difference_of_estimates,
    difference_through_eager,
    geometric_mean,
    paired_difference,
    percentile,
    record,
    resamples,
    sign_test,
    wilson,
    word_of,
)


def test_a_geometric_mean_and_percentiles():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert geometric_mean([0.1, 10.0, 8.0]) == pytest.approx(2.0)
    for none in ([], [0.0], [1.0, -1.0]):
        with pytest.raises(ValueError):
            geometric_mean(none)
    # Places 0 … 4: a quarter of the way is place 1; 0.1 of it is place 0.4
    assert percentile([1.0, 2.0, 4.0, 8.0, 16.0], 0.25) == 2.0
    assert percentile([1.0, 2.0, 4.0, 8.0, 16.0], 0.1) == pytest.approx(1.4)


def test_a_bootstrap_resamples_whole_tasks_and_is_the_same_each_time():
    # 3 of 4 graphs of one task, 0 of 1 of the other: 3 of 5, not the mean of the two shares
    found = bootstrap_ratio([3, 0], [4, 1])
    assert found is not None and found.value == pytest.approx(0.6)
    # Two tasks: a quarter of all draws holds the first twice (3/4), a quarter the second twice (0)
    assert (found.low, found.high) == (0.0, 0.75)
    assert bootstrap_ratio([3, 0], [4, 1]) == found
    assert bootstrap_ratio([math.log(2), math.log(8)], [1, 1], math.exp) == Estimate(
        pytest.approx(4.0), pytest.approx(2.0), pytest.approx(8.0)
    )
    assert bootstrap_ratio([1.5], [2]) == Estimate(0.75, 0.75, 0.75)
    assert bootstrap_ratio([], []) is None and bootstrap_ratio([0, 0], [0, 0]) is None
    with pytest.raises(ValueError, match="as many"):
        bootstrap_ratio([1.0], [])


def test_a_bootstrap_of_a_mean_is_as_wide_as_its_standard_error_says():
    """Of 0, 1, …, 99: mean 49.5, population σ 28.866, standard error of the mean 2.8866, so ±5.66 at 95 %."""
    found = bootstrap_ratio([float(value) for value in range(100)], [1.0] * 100, times=4000)
    assert found is not None and found.value == pytest.approx(49.5)
    assert found.low == pytest.approx(49.5 - 5.66, abs=0.5) and found.high == pytest.approx(49.5 + 5.66, abs=0.5)
    assert len(resamples(7)) == 1000 and all(len(one) == 7 for one in resamples(7))


def test_paired_times_differ_really_or_not():
    # The second takes twice as long in every round, however busy the machine was: no doubt at all
    found = paired_difference([1.0, 5.0, 3.0], [2.0, 10.0, 6.0])
    assert (found.value, found.low, found.high) == (2.0, 2.0, 2.0)
    # Medians 2 and 2; rounds of 1/2 and 2/1 may be drawn alone
    same = paired_difference([1.0, 2.0, 2.0, 3.0], [3.0, 2.0, 2.0, 1.0])
    assert same.value == 1.0 and same.low < 1 < same.high
    for wrong in (([], []), ([1.0], [1.0, 2.0]), ([0.0], [1.0])):
        with pytest.raises(ValueError, match=r"paired|positive"):
            paired_difference(*wrong)


def test_two_runs_differ_through_eager():
    """One run: eager 6, own 2, three times as fast; the other, on a device that was twice as slow that day: 12, 8."""
    one, other = Rounds((6.0, 12.0, 3.0), (2.0, 4.0, 1.0)), Rounds((12.0, 24.0), (8.0, 16.0))
    found = difference_through_eager(one, other)
    assert (found.value, found.low, found.high) == (pytest.approx(2.0), pytest.approx(2.0), pytest.approx(2.0))
    assert difference_through_eager(Rounds((3.0,), (1.0,)), Rounds((3.0,), (2.0,))).value == pytest.approx(2.0)
    doubtful = difference_through_eager(Rounds((6.0, 6.0), (2.0, 3.0)), other)
    assert doubtful.value == pytest.approx(1.6) and doubtful.low < doubtful.high
    with pytest.raises(ValueError, match="paired"):
        difference_through_eager(one, Rounds((1.0,), ()))


def test_intervals_alone_tell_less_but_something():
    """2 within a factor e^±0.03, 1 within e^±0.04: 2 within e^±0.05."""
    one = Estimate(2.0, 2 * math.exp(-0.03), 2 * math.exp(0.03))
    other = Estimate(1.0, math.exp(-0.04), math.exp(0.04))
    found = difference_of_estimates(one, other)
    assert found == Estimate(2.0, pytest.approx(2 * math.exp(-0.05)), pytest.approx(2 * math.exp(0.05)))
    with pytest.raises(ValueError, match="positive"):
        difference_of_estimates(one, Estimate(1.0, 0.0, 2.0))
    assert [word_of(Estimate(1.0, *ends)) for ends in ((1.01, 2), (0.5, 0.99), (0.99, 1.01), (0.9, 1.01))] == [
        "first",
        "second",
        "same",
        "unclear",
    ]


def test_a_sign_test_by_hand():
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(1, 3) == pytest.approx(2 * (4 + 1) / 16)
    assert sign_test(0, 0) == sign_test(2, 2) == 1.0


def test_agreement_by_hand():
    """Two agree on two things, not on the third; the fourth has one vote. Of 6 answers 3 are "left", 3 "right":
    observed disagreement 2, expected 6² − 3² − 3² = 18, so α = 1 − 5 · 2 / 18."""
    found = agreement([["left", "left"], ["right", "right"], ["left", "right"], ["left"]])
    assert (found.things, found.pairs) == (3, 3)
    assert found.share is not None and found.share.value == pytest.approx(2 / 3)
    assert found.alpha == pytest.approx(1 - 10 / 18)
    assert agreement([["left"]]).share is None and agreement([["left", "left"]]).alpha is None


def test_wilson_as_published():
    """Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662; 15 of 148 gives 0.0624 to 0.1605."""
    assert wilson(81, 263) == Estimate(81 / 263, pytest.approx(0.2553, abs=5e-5), pytest.approx(0.3662, abs=5e-5))
    assert wilson(15, 148) == Estimate(15 / 148, pytest.approx(0.0624, abs=5e-5), pytest.approx(0.1605, abs=5e-5))
    # 0 of 20: low 0, high z²/(20 + z²) = 3.8415 / 23.8415
    assert wilson(0, 20) == Estimate(0.0, 0.0, pytest.approx(0.16113, abs=1e-5))
    assert wilson(20, 20).high == 1.0
    with pytest.raises(ValueError, match="no share"):
        wilson(1, 0)


def test_wins_losses_and_ties():
    found = record([(2.0, 1.0), (1.0, 2.0), (3.0, 1.0), (1.0, 1.005)], tolerance=0.01)
    assert (found.wins, found.losses, found.ties) == (2, 1, 1)
    assert found.share is not None and found.share.value == pytest.approx(2.5 / 4)
    assert record([]).share is None


def test_bradley_terry_of_two_by_hand():
    """3 to 1: odds 3, difference ln 3; its variance is 1/3 + 1/1 = 4/3, and each strength is half of it."""
    found = bradley_terry({("a", "b"): 3, ("b", "a"): 1})
    assert found["a"].value == pytest.approx(math.log(3) / 2) and found["b"].value == pytest.approx(-found["a"].value)
    assert (found["a"].high - found["a"].value) / 1.959964 == pytest.approx(math.sqrt(4 / 3) / 2, rel=1e-6)


def test_bradley_terry_of_three_by_hand():
    """Strengths 4 : 2 : 1, and games in exactly these odds: 6 between each two."""
    wins = {("a", "b"): 4, ("b", "a"): 2, ("b", "c"): 4, ("c", "b"): 2, ("a", "c"): 4.8, ("c", "a"): 1.2}
    found = bradley_terry(wins)
    for player, strength in (("a", math.log(2)), ("b", 0.0), ("c", -math.log(2))):
        assert found[player].value == pytest.approx(strength, abs=1e-9)
        assert found[player].low < found[player].value < found[player].high


def test_bradley_terry_needs_games_both_ways():
    for wins in ({("a", "b"): 3}, {("a", "b"): 1, ("b", "a"): 1, ("c", "d"): 1, ("d", "c"): 1}):
        with pytest.raises(ValueError, match="prior"):
            bradley_terry(wins)
    found = bradley_terry({("a", "b"): 3}, prior=0.5)  # as if it had been 3.5 to 0.5
    assert found["a"].value == pytest.approx(math.log(7) / 2)
    with pytest.raises(ValueError, match="themselves"):
        bradley_terry({("a", "a"): 1})


def test_the_module_needs_nothing_but_python():
    code = "import sys, submissions.statistics as s; print({'django', 'numpy', 'torch'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
