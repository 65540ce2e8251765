"""Rounds with timers whose times are known: stopping, interleaving, verdict words."""

import random

import pytest

from evaluator.measure.quiet_host import quiet
from evaluator.measure.rounds import Precision, time_in_rounds
from evaluator.statistics import Ratio, ratio_of_medians, speed_word


class ScriptedTimer:
    """A timer whose samples come from functions: the arithmetic of rounds is tested, not a clock."""

    method = "scripted"

    def __init__(self, times):
        self.times, self.order = times, []

    def sample(self, name):
        self.order.append(name)
        return self.times[name]()


def run(times, precision, seed=1, clock=lambda: 0.0):
    timer, filled = ScriptedTimer(times), []
    timing = time_in_rounds(timer, list(times), precision, refill=filled.append, rng=random.Random(seed), clock=clock)
    return timer, filled, timing


def test_stops_at_once_when_times_are_exact():
    _, filled, timing = run({"eager": lambda: 12.0, "candidate": lambda: 4.0}, Precision(min_rounds=10))
    assert filled == list(range(10))
    assert timing.conclusive
    assert timing.ratios["candidate"] == Ratio(3.0, 3.0, 3.0, 10)


def test_every_participant_is_called_once_a_round_in_changing_order():
    timer, filled, _ = run({"eager": lambda: 2.0, "candidate": lambda: 1.0, "inductor": lambda: 1.0}, Precision())
    rounds = [timer.order[i : i + 3] for i in range(0, len(timer.order), 3)]
    assert len(rounds) == len(filled)
    assert all(sorted(order) == ["candidate", "eager", "inductor"] for order in rounds)
    assert len({tuple(order) for order in rounds}) > 1


def test_noise_that_never_settles_ends_inconclusive_at_the_round_limit():
    noise = random.Random(3)
    times = {"eager": lambda: noise.uniform(1, 9), "candidate": lambda: noise.uniform(1, 9)}
    _, filled, timing = run(times, Precision(half_width=0.001, max_rounds=40))
    assert len(filled) == 40
    assert not timing.conclusive
    assert speed_word(timing.ratios["candidate"]) == "inconclusive"


def test_the_budget_ends_it_but_never_before_the_least_rounds():
    ticks = iter(range(1000))
    noise = random.Random(3)
    times = {"eager": lambda: noise.uniform(1, 9), "candidate": lambda: noise.uniform(1, 9)}
    _, filled, timing = run(times, Precision(min_rounds=7, budget_seconds=0.5), clock=lambda: float(next(ticks)))
    assert len(filled) == 7
    assert not timing.conclusive


def test_ratio_is_of_medians_not_of_means():
    assert ratio_of_medians([10.0, 10.0, 1000.0], [5.0, 5.0, 5.0]).value == 2.0


def test_a_shared_disturbance_leaves_a_paired_ratio_narrow():
    # Both sides double in the same rounds: each round's ratio is exactly 2.
    slow = [1.0, 2.0] * 20
    ratio = ratio_of_medians([4 * x for x in slow], [2 * x for x in slow])
    assert (ratio.low, ratio.value, ratio.high) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("ratio", "word"),
    [
        (Ratio(1.5, 1.4, 1.6, 10), "faster"),
        (Ratio(0.8, 0.7, 0.9, 10), "slower"),
        (Ratio(1.0, 0.99, 1.01, 10), "same"),
        (Ratio(1.05, 0.9, 1.2, 10), "inconclusive"),
    ],
)
def test_words(ratio, word):
    assert speed_word(ratio) == word


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], [1.0, 2.0]), ([0.0], [1.0])])
def test_refuses_what_is_not_paired_times(a, b):
    with pytest.raises(ValueError):
        ratio_of_medians(a, b)


def test_rounds_count_while_the_yardstick_is_short_and_the_least_of_them_in_any_case():
    assert quiet([10.0, 11.4, 11.6, 20.0, 10.5], least=2) == [0, 1, 4]  # up to 11.5
    assert quiet([10.0, 20.0, 30.0, 25.0], least=3) == [0, 1, 3]
    assert quiet([10.0, 20.0], least=3) == [0, 1]


def test_times_on_a_busy_host_are_left_out():
    yardsticks, host = iter([20.0, 10.0, 10.0]), []

    def settle():
        host.append(next(yardsticks))
        return host[-1]

    timer = ScriptedTimer({"eager": lambda: 2 * host[-1], "candidate": lambda: host[-1] + 10})
    timing = time_in_rounds(
        timer,
        ["eager", "candidate"],
        Precision(min_rounds=16, max_rounds=24),
        refill=lambda _: None,
        rng=random.Random(1),
        settle=settle,
    )
    assert timing.samples == {"eager": [20.0] * 16, "candidate": [20.0] * 16}  # not the eight rounds of 40 and 30
    assert timing.ratios["candidate"].value == 1.0
