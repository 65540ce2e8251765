"""The same statistics by scipy: where both have one, they are the same."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from submissions.statistics import (
    bootstrap_ratio,
    bradley_terry,
    geometric_mean,
    paired_difference,
    percentile,
    sign_test,
    wilson,
)

TIMES = [10.2, 9.8, 11.5, 10.1, 30.0, 9.9, 10.4, 10.0, 10.3, 12.0]
OTHERS = [12.1, 11.7, 14.0, 12.3, 35.0, 11.8, 12.5, 12.2, 12.2, 14.9]


def test_means_and_percentiles():
    assert geometric_mean(TIMES) == pytest.approx(stats.gmean(TIMES))
    for share in (0.0, 0.025, 0.31, 0.5, 0.975, 1.0):
        assert percentile(sorted(TIMES), share) == pytest.approx(np.percentile(TIMES, 100 * share))


@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (3, 7), (81, 263), (7, 7)])
def test_wilson(successes: int, trials: int):
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    found = wilson(successes, trials)
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (5, 5), (9, 2), (2, 9), (120, 80)])
def test_the_sign_test(wins: int, losses: int):
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected)


def test_bootstraps_draw_the_same_distribution():
    """Both draw at random: the ends of 4,000 draws each lie within a small part of the interval."""

    def close(found, statistic, *data):
        expected = stats.bootstrap(
            data, statistic, paired=True, vectorized=False, n_resamples=4000, method="percentile", rng=1
        ).confidence_interval
        width = expected.high - expected.low
        assert found.low == pytest.approx(expected.low, abs=0.1 * width)
        assert found.high == pytest.approx(expected.high, abs=0.1 * width)

    right, graphs = [3, 0, 5, 2, 2, 8, 1, 0, 4, 6], [4, 3, 5, 2, 6, 9, 1, 3, 4, 8]
    found = bootstrap_ratio(right, graphs, times=4000)
    assert found is not None
    close(found, lambda a, b: np.sum(a) / np.sum(b), right, graphs)
    paired = paired_difference(TIMES, OTHERS, times=4000)
    assert paired.value == pytest.approx(np.median(OTHERS) / np.median(TIMES)) and paired.low > 1
    close(paired, lambda a, b: np.median(b) / np.median(a), TIMES, OTHERS)


def test_bradley_terry_is_the_most_likely_and_its_spread_the_curvature():
    wins = {("a", "b"): 7, ("b", "a"): 3, ("b", "c"): 4, ("c", "b"): 5.5, ("a", "c"): 6, ("c", "a"): 2, ("c", "d"): 3}
    wins |= {("d", "c"): 1, ("d", "a"): 2}
    names = "abcd"

    def surprise(free: np.ndarray) -> float:
        strength = dict(zip(names, np.append(free, -free.sum()), strict=True))
        return sum(n * math.log1p(math.exp(strength[j] - strength[i])) for (i, j), n in wins.items())

    best = optimize.minimize(surprise, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    found = bradley_terry(wins)
    expected = np.append(best.x, -best.x.sum())
    assert [found[name].value for name in names] == pytest.approx(list(expected), abs=1e-5)
    step = 1e-3
    hessian = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            ends = [
                surprise(best.x + step * (a * np.eye(3)[i] + b * np.eye(3)[j])) * a * b
                for a in (1, -1)
                for b in (1, -1)
            ]
            hessian[i, j] = sum(ends) / (4 * step * step)
    spread = np.sqrt(np.diag(np.linalg.inv(hessian)))
    z = stats.norm.ppf(0.975)
    assert [(found[n].high - found[n].value) / z for n in "abc"] == pytest.approx(list(spread), rel=1e-3)
