"""Tricks of the third series through the real runner, whose guards answer them alone; and honest passes like them."""

from small import QUICK, only, sample, words

from evaluator.job import Job
from tests.evaluator.integrity.cases_text import read_cases

# name in attempts/third_series.txt → class by which the guards of the run know it
SEEN_AT_RUN_TIME = {
    "globals by a formatter": "dynamic_import",
    "members of the module listed": "dynamic_import",
    "work in the grid": "torch_compute",
    "work in a pre-hook of a configuration": "torch_compute",
    "code of an operator swapped": "monkeypatch",
    "defaults of an operator swapped": "monkeypatch",
    "run of all kernels replaced": "monkeypatch",
    "hook on every module of the process": "baseline_tampering",
    "kept in a thread's locals": "output_cache",
    "kept as numbers": "output_cache",
    "frame by logging": "reference_search",
}
HONEST = ("heuristics and a pre-hook that clears", "partial as a grid", "thread local settings")


def run(judge, files: dict[str, str]) -> list[dict]:
    return judge(Job(files, (sample("one"),), limits=QUICK, run_id="third"))


def test_the_guards_of_the_run_answer_what_the_text_hides(judge_guarded):
    cases = {case.name: case for case in read_cases("attempts")}
    missed = {}
    for name, cls in SEEN_AT_RUN_TIME.items():
        last = run(judge_guarded, cases[name].files)[-1]
        flagged = {one["class"] for one in last["findings"] if one["severity"] == "violation"}
        if last["verdict"] != "violation" or cls not in flagged or last["graphs"]["one"]["status"] == "correct":
            missed[name] = (last["verdict"], flagged, last["graphs"]["one"]["message"])
    assert missed == {}


def test_what_only_looks_like_a_trick_is_right_and_clean(judge):
    cases = {case.name: case for case in read_cases("honest")}
    for name in HONEST:
        events = run(judge, cases[name].files)
        assert (words(only(events)), events[-1]["verdict"]) == (("correct", None), "clean"), name
        assert [one for one in events[-1]["findings"] if one["severity"] != "note"] == []
