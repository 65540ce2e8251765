"""A submission whose violation a reviewer has overturned: the findings are told again, and reject nothing."""

from dataclasses import replace

from small import job, only, words

from evaluator.job import Job


def test_its_graphs_are_scored_and_the_judge_keeps_its_word(judge):
    flagged = job("torch.add(in_0, in_1)")  # work by torch, for nothing
    before = judge(flagged)
    assert words(only(before)) == ("rejected", "violation")
    travelled = Job.from_json(replace(flagged, overturned=True).to_json())
    after = judge(travelled)
    assert words(only(after)) == ("correct", None)
    assert after[-1]["verdict"] == before[-1]["verdict"] == "violation"
    assert {one["class"] for one in after[-1]["findings"]} == {"torch_compute"}


def test_every_result_says_what_shut_the_submission_in(judge, bare_daemon):
    inside, outside = judge(job())[-1]["isolation"], bare_daemon.judge(job())[-1]["isolation"]
    assert inside["level"].startswith("namespaces")
    assert {"no network", "read-only system", "system call filter (seccomp)"} <= set(inside["on"])
    assert outside["level"] == "process group only"
    assert {"no network", "read-only system", "size-limited private folder"} <= set(outside["off"])
    assert set(inside["on"]) | set(inside["off"]) == set(outside["on"]) | set(outside["off"])
