"""Measuring as judge and runner do it together, on the CPU: values, verified outputs, what is believed."""

import json
import random
from contextlib import nullcontext
from functools import partial

import pytest
import torch
from small import sample as small_graph

from evaluator import precision
from evaluator.engine.build import build
from evaluator.engine.inputs import INPUT_SETS
from evaluator.job import Job
from evaluator.measure import values
from evaluator.measure.values import StaticInputs, round_values, verified_rounds
from evaluator.runner import measured, measuring, speed, tensors
from evaluator.runner.protocol import ProtocolError
from evaluator.runner.reference import reference
from evaluator.runner.report import Report
from graphs.fx_source import parse


@pytest.fixture(autouse=True)
def pinned(monkeypatch):
    """As in every process of the evaluator."""
    before = precision.flags()
    precision.pin()
    yield
    for name, value in before.items():
        monkeypatch.setitem(precision.PINNED, name, value)
    precision.pin()


class Link:
    """Where the judge's events go."""

    def __init__(self):
        self.events = []

    def event(self, kind, payload):
        self.events.append((kind, json.loads(json.dumps(payload))))

    def doing(self, what, graph=None, seconds=None):
        return nullcontext()

    def of(self, kind):
        return [payload for one, payload in self.events if one == kind]


class InProcess:
    """The runner's side without a process of its own: the same requests and answers, through the same files."""

    def __init__(self, sample, candidate, lie=lambda answer: answer):
        self.sample, self.candidate, self.lie = sample, candidate, lie

    def measure(self, index, request, inputs, expected, caches):
        inputs_file, descriptions = tensors.share(inputs, "inputs")
        outputs_file = tensors.room_for(expected)
        request = json.loads(json.dumps({**request, "inputs": descriptions}))
        with torch.no_grad():
            answer = measuring.measure(request, self.sample, self.candidate, "cpu", (inputs_file, outputs_file))
        answer = self.lie(json.loads(json.dumps(answer)))
        known = frozenset(("eager", "candidate"))
        return measured.answer(answer, known), tensors.collect(outputs_file, answer["outputs"])


def judged(candidate=None, profile="precise", lie=lambda answer: answer):
    """Events and report of measuring a small graph with `candidate` in the place of the rewritten module."""
    sample = small_graph("one")
    job = Job(files={}, graphs=(sample,), profile=profile, baselines=())
    eager = reference(sample, "cpu")
    link = Link()
    report = Report(link, sample.name, 10.0)
    case = eager.case(INPUT_SETS[0])
    report.outputs = speed.compare(case.expected, eager.returned(case.inputs, 1))
    module = candidate or build(parse(sample.source))
    speed.measure(job, 0, eager, case, InProcess(sample, module, lie), report, partial(link.event, "finding"))
    return link, report


class Candidate:
    """Stands for a rewritten module: `forward` is what is timed."""

    def __init__(self, forward):
        self.forward = forward


def add_relu(x, y):
    return (torch.relu(x + y),)


def test_direct_and_compiled_are_timed_apart_and_verified():
    link, report = judged(Candidate(add_relu))
    timed = {(one["entry"], one["method"]): one for one in link.of("timed")}
    assert set(timed) == {("direct", "e2e"), ("compiled", "e2e"), ("direct", "kernel")}
    direct = timed["direct", "e2e"]
    assert set(direct["samples"]) == {"eager", "candidate"}
    assert len(direct["samples"]["eager"]) == len(direct["samples"]["candidate"]) >= 10
    ratio = direct["ratios"]["candidate"]
    assert ratio["low"] <= ratio["value"] <= ratio["high"]
    assert ratio["value"] == pytest.approx(direct["medians"]["eager"] / direct["medians"]["candidate"])
    assert report.compared()["speedup"] == {"e2e": ratio["value"]}
    assert link.of("verified")[0]["wrong"] == 0
    assert link.of("verified")[0]["calls"] >= 2
    assert link.of("finding") == []
    assert timed["direct", "kernel"]["missing"]["eager"] == "kernels are profiled on a GPU"


def test_the_published_profile_is_an_entry_of_its_own():
    link, report = judged(Candidate(add_relu), profile="published")
    (e2e, kernel) = link.of("timed")
    assert (e2e["entry"], e2e["method"], e2e["profile"]) == ("published", "e2e", "published")
    assert [len(own) for own in e2e["samples"].values()] == [100, 100]
    assert kernel["samples"] == {}
    assert set(report.compared()["speedup"]) == {"e2e"}


def test_outputs_of_an_earlier_call_are_found_out():
    kept = []

    def forward(x, y):
        if not kept:
            kept.append(torch.relu(x + y))
        return (kept[0],)

    link, report = judged(Candidate(forward))
    (finding,) = link.of("finding")
    assert (finding["class"], finding["severity"]) == ("phase_detection", "suspicious")
    assert link.of("verified")[0]["wrong"] > 0
    assert report.compared()["status"] == "accuracy"


def test_a_patched_clock_is_a_violation(monkeypatch):
    real = measuring.primitives.time.perf_counter_ns
    monkeypatch.setattr(measuring.primitives.time, "perf_counter_ns", lambda: real() // 2)
    link, _ = judged(Candidate(add_relu))
    assert [one["class"] for one in link.of("finding") if one["severity"] == "violation"] == ["monkeypatch"]


def test_an_eager_that_was_made_slower_is_noticed_by_a_method_that_a_busy_host_does_not_move(monkeypatch):
    def slow(answer):
        for one in answer["timed"]:
            one["samples"]["eager"] = [time * 20 + 100 for time in one["samples"]["eager"]]
        return answer

    link, _ = judged(Candidate(add_relu), lie=slow)
    assert link.of("finding") == []
    monkeypatch.setitem(speed.SLOWER, "e2e", 1.1)
    link, _ = judged(Candidate(add_relu), lie=slow)
    (finding,) = link.of("finding")
    assert (finding["class"], finding["severity"]) == ("baseline_tampering", "violation")


@pytest.mark.parametrize(
    "lie",
    [
        lambda answer: answer["timed"][0]["samples"].update(mallory=[1.0]),
        lambda answer: answer["timed"][0]["samples"]["eager"].append(-1.0),
        lambda answer: answer["timed"][0]["samples"]["eager"].pop(),
        lambda answer: answer["timed"][0].update(method="guessed"),
        lambda answer: answer["memory"].update(eager=1.5),
        lambda answer: answer["verified"].append([1, 2]),
    ],
)
def test_an_answer_that_can_not_be_is_refused(lie):
    def told(answer):
        lie(answer)
        return answer

    with pytest.raises((ProtocolError, KeyError, TypeError, ValueError)):
        judged(Candidate(add_relu), lie=told)


def test_values_of_a_round_follow_from_the_seed_and_are_new_in_each():
    sets = [[torch.arange(12.0).view(3, 4), torch.tensor([1, 2]), 7]]
    one = round_values(sets, [True, False, False], "seed", "direct e2e", 3)
    same = round_values(sets, [True, False, False], "seed", "direct e2e", 3)
    other = round_values(sets, [True, False, False], "seed", "direct e2e", 4)
    assert torch.equal(one[0], same[0])
    assert not torch.equal(one[0], other[0])
    assert sorted(one[0].flatten().tolist()) == list(range(12))
    assert (one[1].tolist(), one[2]) == ([1, 2], 7)


def test_the_copies_of_a_round_have_values_of_their_own_that_the_judge_can_make_again():
    across = torch.arange(12.0).view(4, 3).t()  # not in the order of memory
    sets = [[torch.arange(12.0).view(3, 4), across, torch.tensor([1, 2]), 7]]
    inputs = StaticInputs(sets, [True, True, False, False], "seed")
    assert inputs.provide(3) == 3 and inputs.provide(2) == 2
    inputs.refill("direct graph", 5, copies=3)
    for copy, own in enumerate(inputs.copies):
        again = round_values(sets, [True, True, False, False], "seed", "direct graph", 5, copy)
        assert all(a == b if isinstance(a, int) else torch.equal(a, b) for a, b in zip(own, again, strict=True))
    assert len({tuple(own[0].flatten().tolist()) for own in inputs.copies}) > 1
    assert inputs.values is inputs.copies[0]


def test_inputs_that_are_too_large_have_fewer_copies(monkeypatch):
    monkeypatch.setattr(values, "MOST_COPIED_BYTES", 100)
    inputs = StaticInputs([[torch.zeros(10)]], [True], "seed")  # 40 bytes
    assert inputs.provide(8) == 3


def test_verified_rounds_lie_in_longer_and_longer_stretches():
    rounds = verified_rounds("seed", "direct graph", 10)
    first, second, third = (next(rounds) for _ in range(3))
    assert 0 <= first < 10 <= second < 50 <= third < 210
    assert list(zip(range(3), verified_rounds("seed", "direct graph", 10), strict=False)) == [
        (0, first), (1, second), (2, third),
    ]  # fmt: skip
    assert random.Random("seed/direct graph/verified").randrange(10) == first
