"""Rewards, worked out by hand."""

import pytest

from assistant.reward import FLOOR, Kind, reward


def graph(status="correct", first_t=-6, speedup=None, launches=(4, 1), reason=None, mismatch=None):
    counted = None if launches is None else {"eager": launches[0], "candidate": launches[1]}
    measured = None if speedup is None else {"e2e": speedup, "graph": 9.0}
    return {
        "status": status, "reason": reason, "mismatch": mismatch, "first_t": first_t, "speedup": measured,
        "launches": counted,
    }  # fmt: skip


def result(*graphs, score=None):
    return {"graphs": {f"g{at}": one for at, one in enumerate(graphs)}, "aggregate_score": score}


@pytest.mark.parametrize(
    ("one", "value"),
    [
        (graph("rejected", None, reason="bad_submission"), 0.0),
        (graph("compile_fail", None), 0.05),
        (graph("no_match", None), 0.1),
        (graph("runtime_fail", None, reason="crash"), 0.2),
        (graph("accuracy", None, mismatch="shape"), 0.3),
        (graph("accuracy", None), 0.4),
        (graph("accuracy", 4), 0.4),
        (graph("accuracy", -2), 0.4 + 0.1 * 6 / 9),  # 3 of 9 steps away
        (graph("correct"), 0.5 + 0.5 * 0.75),  # three of four launches saved
        (graph("correct", launches=(2, 5)), 0.5),
        (graph("correct", launches=None), 0.5),
        (graph("correct", speedup=0.25), 0.5),
        (graph("correct", speedup=1.0), 0.75),
        (graph("correct", speedup=2**0.5), 0.875),
        (graph("correct", speedup=64.0), 1.0),
    ],
)
def test_how_far_a_graph_came(one, value):
    found = reward(result(one), "clean", Kind.SHAPED)
    assert found.value == pytest.approx(value) and found.graphs == {"g0": found.value} and not found.floor


def test_the_steps_never_reward_what_came_less_far():
    steps = [
        graph("rejected", None, reason="bad_submission"), graph("compile_fail", None), graph("no_match", None),
        graph("runtime_fail", None), graph("accuracy", None, mismatch="nan"), graph("accuracy", None),
        graph("accuracy", -4), graph(speedup=0.01), graph(speedup=1.1), graph(speedup=1.9),
    ]  # fmt: skip
    values = [reward(result(one), "clean", Kind.SHAPED).value for one in steps]
    assert values == sorted(values) and values[6] < values[7] + 1e-9


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("verdict", ["violation", "suspicious"])
def test_an_exploit_gets_the_floor_however_fast_it_is(kind, verdict):
    found = reward(result(graph(speedup=1000.0), score=1000.0), verdict, kind)
    assert (found.value, found.floor) == (FLOOR, True)


def test_the_floor_is_below_the_worst_honest_reward():
    worst = result(graph("rejected", None, reason="bad_submission"), score=0.1)
    assert all(reward(worst, "clean", kind).value > FLOOR for kind in Kind)


def test_the_score_is_a_logarithm():
    for score, value in ((1.0, 0.0), (0.1, -1.0), (10.0, 1.0), (2.0, 0.30103), (1e5, 2.0)):
        assert reward(result(graph(), score=score), "clean", Kind.SCORE).value == pytest.approx(value)
    assert reward(result(graph()), "clean", Kind.SCORE).value is None  # speed was not measured


def test_correctness_is_a_share():
    three = result(graph(), graph("accuracy", -4), graph("no_match", None))
    assert reward(three, "clean", Kind.CORRECTNESS).value == pytest.approx(1 / 3)


def test_graphs_that_do_not_run_by_themselves_do_not_count():
    broken = graph("eager_fail", None)
    assert reward(result(graph(), broken), "clean", Kind.CORRECTNESS).value == 1.0
    assert reward(result(broken), "clean", Kind.SHAPED).value is None
