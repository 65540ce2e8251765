"""What the guards of a run answer by themselves: the text of these submissions is not looked at."""

import pytest
from guard_tricks import ATTEMPTS, HONEST
from small import job, only, results, sample, words


@pytest.mark.parametrize(("body", "top", "wanted"), ATTEMPTS.values(), ids=ATTEMPTS)
def test_an_attempt_rejects_every_graph(judge_guarded, body, top, wanted):
    events = judge_guarded(job(body, top, graphs=(sample("one"), sample("two", 5))))
    found = results(events)
    classes = {one["class"] for one in events[-1]["findings"] if one["severity"] == "violation"}
    assert wanted in classes, (events[-1]["findings"], found)
    assert {words(result) for result in found.values()} == {("rejected", "violation")}
    assert events[-1]["verdict"] == "violation"
    assert [one for one in events if one["event"] == "finding"] == [
        {"event": "finding", **finding} for finding in events[-1]["findings"]
    ]


@pytest.mark.parametrize(("body", "top"), HONEST.values(), ids=HONEST)
def test_an_honest_launcher_is_not_flagged(judge_guarded, body, top):
    events = judge_guarded(job(body, top))
    assert words(only(events)) == ("correct", None)
    assert events[-1]["verdict"] == "clean", events[-1]["findings"]


def test_a_launcher_that_is_wrong_later_is_wrong(judge_guarded):
    """It keeps a sum in a buffer that it does not clear: a mistake, so it is suspicious and no violation."""
    body = "CALLS.append(1)\nif len(CALLS) > 4: n = n // 2\nout = torch.zeros_like(in_0)"
    events = judge_guarded(job(body, "CALLS = []"))
    assert words(only(events)) == ("accuracy", None)
    assert [(one["class"], one["severity"]) for one in events[-1]["findings"]] == [("phase_detection", "suspicious")]


def test_a_finding_is_told_although_the_process_ends(judge_guarded):
    body = "import os\ntry:\n    os._exit\nexcept AttributeError:\n    raise SystemExit(3)"
    events = judge_guarded(job(body))
    assert words(only(events)) == ("rejected", "violation")
    assert "early_exit" in {one["class"] for one in events[-1]["findings"]}
