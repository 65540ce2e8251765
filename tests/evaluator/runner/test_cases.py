"""The acceptance cases through the whole road: what `expected.json` says is what comes out."""

import os
from dataclasses import replace
from pathlib import Path

import acceptance
import pytest
from small import results

from evaluator.job import Job

pytestmark = pytest.mark.cases

ROOT = Path(os.environ.get("PASSNET_CASES", "")) / "cases"
CORRECT_AT = -5
# Where the guards of a run see what is done, and not how it was spelt.
SEEN_AS = {"x_getattr_name": "torch_compute"}
# A patched clock is a patched stand-in: nothing of ours changes. Streams need a GPU.
SPINS = {"fail_spins_in_launcher"}  # it would go on for minutes
NOTHING_TO_SEE = {"x_patch_clock", "x_side_stream"}


def submissions(prefix: str = "") -> list[str]:
    return acceptance.submissions(ROOT, prefix) if os.environ.get("PASSNET_CASES") else []


def read(submission: str) -> tuple[Job, dict]:
    job, expected = acceptance.read(ROOT, submission)
    if submission in SPINS:
        job = replace(job, limits=replace(job.limits, call_seconds=1.5))
    return job, expected


@pytest.mark.parametrize("submission", submissions())
def test_the_verdict_is_the_expected_one(judge, submission):
    job, expected = read(submission)
    events = judge(job)
    flagged = {finding["class"] for finding in events[-1]["findings"] if finding["severity"] != "note"}
    if expected["must_flag"] is None:
        assert events[-1]["verdict"] == "clean" and not flagged
    else:
        assert events[-1]["verdict"] == "violation" and expected["must_flag"] in flagged
    for name, result in results(events).items():
        if expected["kind"] == "exploit":
            assert result["status"] != "correct"
        else:
            agrees(result, expected["per_graph"][name])


@pytest.mark.parametrize("submission", submissions("x_"))
def test_the_guards_of_the_run_answer_it_alone(judge_guarded, submission):
    """As if the static check had seen nothing."""
    job, expected = read(submission)
    last = judge_guarded(job)[-1]
    flagged = {finding["class"] for finding in last["findings"] if finding["severity"] == "violation"}
    if submission in NOTHING_TO_SEE:
        assert not flagged
    else:
        assert SEEN_AS.get(submission, expected["must_flag"]) in flagged
        assert {result["reason"] for result in last["graphs"].values()} == {"violation"}


def agrees(result: dict, wanted: dict) -> None:
    assert result["status"] in (wanted["status"], *wanted.get("also_accept", ())), result
    if result["status"] == "rejected":
        return
    assert result["matches"] == wanted["matches"]
    if wanted["status"] != result["status"]:
        return
    assert result["mismatch"] == wanted.get("mismatch")
    if result["status"] == "correct":
        assert result["first_t"] <= CORRECT_AT
        assert 1 <= result["launches"]["candidate"] <= result["launches"]["eager"]
    elif result["status"] == "accuracy" and wanted["correct_at_t"] is None:
        assert result["first_t"] is None
    elif result["status"] == "accuracy":
        assert abs(result["first_t"] - wanted["correct_at_t"]) <= (1 if wanted["approx"] else 0), result
