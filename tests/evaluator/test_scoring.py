"""Scores against the shared vectors, and against values worked out by hand."""

import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import scoring
from evaluator.score_file import ScoreFileError, score_file
from evaluator.scoring import EXACT, Failure, GraphScore

CASES = os.environ.get("PASSNET_CASES")
VECTORS = Path(CASES, "vectors", "es_scores.json") if CASES else None
ENTRIES = json.loads(VECTORS.read_text()) if VECTORS else []


@pytest.mark.cases
@pytest.mark.parametrize("number", range(len(ENTRIES)))
def test_shared_vector(number):
    found, entry = score_file(VECTORS)[number], ENTRIES[number]
    assert found["es_t"].keys() == entry["expected_es_t"].keys()
    for t, value in entry["expected_es_t"].items():
        assert found["es_t"][t] == pytest.approx(value, rel=1e-7), t
    assert found["aggregate_score"] == pytest.approx(entry["expected_aggregate_score"], rel=1e-7)


def one_graph(status, reason=None, mismatch=None, first_t=None, speedup=None):
    es, aggregate = scoring.scores([scoring.graph_score(status, reason, mismatch, first_t, speedup)])
    return es, round(aggregate, 3)


# The weights of t = −10 … 4 before normalisation sum to 0.005 + 3 + 0.8 + 0.64 + 0.512 + 0.4096 + 0.32768 + 0.262144
# + 0.001 = 5.957424. Wrong below t = 1 and tolerated from 1 on leaves 0.1 on the weights up to t = 0, which are
# 0.005 + 3 + 0.8 + 0.64 + 0.512 = 4.957: 0.1^(4.957 / 5.957424) = 0.1472. Tolerated from 3 on (weights 0.262144 +
# 0.001) leaves 0.1^(1 − 0.263144 / 5.957424) = 0.1107.
@pytest.mark.parametrize(
    ("words", "aggregate"),
    [
        ({"status": "correct", "first_t": -7, "speedup": 2.0}, None),
        ({"status": "accuracy"}, 0.147),
        ({"status": "no_match"}, 0.111),
        ({"status": "runtime_fail", "reason": "timeout"}, 0.111),
        ({"status": "compile_fail"}, 0.111),
        ({"status": "eager_fail"}, 0.111),
        ({"status": "accuracy", "mismatch": "dtype", "first_t": -10, "speedup": 9.0}, 0.111),
        ({"status": "rejected", "reason": "bad_submission"}, 0.111),
        ({"status": "rejected", "reason": "violation"}, 0.1),
    ],
)
def test_aggregate_score_of_one_graph(words, aggregate):
    es, found = one_graph(**words)
    if aggregate is None:  # wrong only on t = −10 … −8, which weigh 0.003 of 5.957424
        assert es[-8] == pytest.approx(0.1) and es[-7] == pytest.approx(2.0) and es[4] == pytest.approx(2.0)
        assert found == pytest.approx(2.0 * math.exp(0.003 / 5.957424 * math.log(0.05)), abs=5e-4)
    else:
        assert found == aggregate


def test_an_equal_output_scores_its_speedup():
    es, aggregate = one_graph("correct", first_t=EXACT, speedup=1.7)
    assert list(es.values()) == pytest.approx([1.7] * 15) and aggregate == 1.7


def test_a_slow_down_is_penalised_by_p():
    graph = GraphScore(EXACT, Failure.ACCURACY, 0.5)
    assert scoring.es_t([graph], p=1)[0] == pytest.approx(0.25)
    assert scoring.es_t([graph], p=0)[0] == pytest.approx(0.5)


def test_the_verdict_is_frozen_from_one_on():
    late = GraphScore(2, Failure.ACCURACY, 3.0)  # first correct at 2: never seen as correct, tolerated as accuracy
    es = scoring.es_t([late])
    assert es[0] == pytest.approx(0.1) and es[1] == es[2] == es[4] == 1.0


def test_tolerated_from_in_the_extended_table():
    def first_tolerated(failure):
        es = scoring.es_t([GraphScore(None, failure, None)], "mismatch_extended")
        return next((t for t, value in es.items() if value == 1.0), None)

    found = {failure: first_tolerated(failure) for failure in Failure}
    assert found == {
        Failure.ACCURACY: 1,
        Failure.MISMATCH: 2,
        Failure.RUNTIME: 3,
        Failure.COMPILE: 4,
        Failure.REFERENCE: None,
        Failure.VIOLATION: None,
    }


def test_ranges_of_t():
    graph = [GraphScore(EXACT, Failure.ACCURACY, 1.0)]
    assert list(scoring.es_t(graph)) == list(range(-10, 5))
    assert list(scoring.es_t(graph, "mismatch_extended")) == list(range(-10, 6))


def test_integers_are_equal_or_never_right():
    assert scoring.output_first_t("int64", -10) is None
    assert scoring.output_first_t("bool", EXACT) == EXACT
    assert scoring.output_first_t("bfloat16", -3) == -3


def test_worst_first_t():
    assert scoring.worst_first_t([EXACT, -6, -4]) == -4
    assert scoring.worst_first_t([-6, None]) is None
    assert scoring.worst_first_t([]) == EXACT


def test_no_score_without_a_measured_speed():
    correct, wrong = GraphScore(-6, Failure.ACCURACY, None), GraphScore(None, Failure.RUNTIME, None)
    assert scoring.scores([correct, wrong]) is None and scoring.scores([]) is None
    assert scoring.scores([wrong]) is not None
    with pytest.raises(ValueError, match="no measured speed-up"):
        scoring.es_t([correct])


def test_columns_of_a_leaderboard():
    graphs = [
        GraphScore(-6, Failure.ACCURACY, 4.0),
        GraphScore(-5, Failure.ACCURACY, 1.0),
        GraphScore(-4, Failure.ACCURACY, 9.0),  # not correct at −5
        GraphScore(None, Failure.RUNTIME, None),
    ]
    assert scoring.g_mean(graphs) == pytest.approx(2.0)
    assert scoring.correctness(graphs) == 0.5
    assert [scoring.fast_p(graphs, p) for p in (1, 1.5, 2)] == [0.5, 0.25, 0.25]
    assert scoring.board_score([0.4, None]) == pytest.approx(0.2)
    assert scoring.g_mean(graphs[2:]) is None and scoring.fast_p([]) is None and scoring.board_score([]) is None


@pytest.mark.parametrize("speedup", [0.0, -1.0, math.nan, math.inf])
def test_a_speedup_is_a_positive_number(speedup):
    with pytest.raises(ValueError, match="positive number"):
        scoring.es_t([GraphScore(EXACT, Failure.ACCURACY, speedup)])


graph_scores = st.builds(
    GraphScore,
    first_t=st.none() | st.just(EXACT) | st.integers(-10, 5),
    failure=st.sampled_from([f for f in Failure if f is not Failure.VIOLATION]),
    speedup=st.floats(0.1, 10),
)


@given(st.lists(graph_scores, min_size=1, max_size=6), st.sampled_from(["default", "mismatch_extended"]))
def test_es_t_does_not_fall_within_each_range(graphs, interpretation):
    es = scoring.es_t(graphs, interpretation)
    for low, high in [(-10, 0), (1, max(es))]:
        for t in range(low, high):
            assert es[t + 1] >= es[t] * (1 - 1e-12)


def write(tmp_path, text):
    file = tmp_path / "scores.json"
    file.write_text(text)
    return file


MISS = '{"subgraphs": [{"status": "pass_miss"}]}'
FAST = '{"status": "pass_miss", "speedup": "x"}'
RIGHT = '{"subgraphs": [{"status": "correct", "speedup": S, "dtypes": ["float32"], "passes_from_t": [-99]}]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "array"),
        ('[{"p": 0}]', "record 1: 'subgraphs' is missing"),
        ("[3]", "record 1: 3 is not a JSON object"),
        ('[{"subgraphs": []}]', "record 1: .*at least one"),
        ('[{"subgraphs": {"a": 1}}]', 'record 1: subgraphs {"a": 1} is not an array'),
        ('[{"p": "x", "subgraphs": [{"status": "pass_miss"}]}]', 'record 1: p "x" is not a number'),
        (f"[{MISS}, {MISS}, {MISS[:-2]}, {FAST}]}}]", 'record 3, subgraph 2: speedup "x" is not a number'),
        (f"[{MISS[:-2]}, {FAST.replace('x', '1')}]}}]", 'record 1, subgraph 2: speedup "1" is not a number'),
        ('[{"subgraphs": [{"status": ["x"]}]}]', "record 1, subgraph 1: unknown status"),
        ('[{"subgraphs": [{"status": "fine"}, 4]}]', "record 1, subgraph 1: unknown status 'fine'"),
        ('[{"subgraphs": [{"status": "pass_miss"}, 4]}]', "record 1, subgraph 2: 4 is not a JSON object"),
        ('[{"subgraphs": [{"status": "correct"}]}]', "record 1, subgraph 1: 'dtypes' is missing"),
        (f"[{RIGHT.replace('S', '0')}]", "record 1, subgraph 1: speedup 0 is not a positive number"),
        (f"[{RIGHT.replace('S', 'null')}]", "record 1, subgraph 1: speedup null is not a positive number"),
        (f"[{RIGHT.replace('S', 'NaN')}]", "record 1, subgraph 1: speedup NaN is not a positive number"),
        (
            f"[{RIGHT.replace('S', '1').replace('-99', '[]')}]",
            r"subgraph 1: passes_from_t \[\[\]\] is not an array of int",
        ),
        (f"[{RIGHT.replace('S', '1' + '0' * 400)}]", "record 1, subgraph 1: speedup is too large"),
        ('[{"subgraphs": [{"status": "rejected", "reason": "mood"}]}]', "record 1, subgraph 1: 'mood'"),
        ('[{"interpretation": "x", "subgraphs": []}]', "unknown interpretation 'x'"),
        ('[{"subgraphs": [{"status": "fine", "speedup": 1}]}]', "record 1, subgraph 1: unknown status 'fine'"),
        ('[{"subgraphs": [{"status": "correct", "speedup": 1, "dtypes": ["int8"], "passes_from_t": []}]}]', "1 dtypes"),
        ('[{"b": 0, "subgraphs": [{"status": "pass_miss"}]}]', "failure base"),
    ],
)
def test_a_bad_score_file_says_what_is_wrong(tmp_path, text, message):
    with pytest.raises(ScoreFileError, match=message):
        score_file(write(tmp_path, text))


def test_a_missing_score_file(tmp_path):
    with pytest.raises(ScoreFileError, match="can not be read"):
        score_file(tmp_path / "none.json")


def test_words_of_verdicts_are_read_too(tmp_path):
    text = '[{"subgraphs": [{"status": "no_match"}]}, {"subgraphs": [{"status": "rejected", "reason": "violation"}]}]'
    no_match, violation = score_file(write(tmp_path, text))
    assert no_match["es_t"]["3"] == 1.0 and violation["es_t"]["4"] == pytest.approx(0.1)
