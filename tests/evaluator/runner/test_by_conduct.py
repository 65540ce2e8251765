"""Tricks whose text shows nothing: what they do and what they return gives them away.

tests/hostile/on_a_gpu.py tries all of them; here are those of the first table and a few of the others.
"""

import pytest
import torch
from small import QUICK, only, sample, words

from evaluator.job import Job
from evaluator.runner import later_calls
from tests.evaluator.integrity.cases_text import read_cases

CASES = {case.name: case for case in read_cases("by_conduct")}
TRIED = [name for name, case in CASES.items() if case.table == "device_state.txt"]
TRIED += ["a copy beside the work in one line", "inputs exchanged", "result kept on the storage of an input"]
TRIED += ["numbers through an array", "arguments that are computed, and nothing else is done"]
# what state on a device may be known by: which later call meets it is drawn anew for each run
KNOWN_BY = {"phase_detection", "leftover_memory", "output_cache"}


@pytest.mark.parametrize("name", TRIED)
def test_it_is_neither_right_nor_clean(judge, name):
    case = CASES[name]
    events = judge(Job(case.files, (sample("one", 8),), limits=QUICK, run_id="conduct"))
    assert words(only(events)) == ("rejected", "violation"), only(events)
    flagged = {one["class"] for one in events[-1]["findings"] if one["severity"] == "violation"}
    known_by = KNOWN_BY if case.table == "device_state.txt" else {case.expected}
    assert flagged & known_by, events[-1]["findings"]
    assert all(one["file"] in (None, *case.files) for one in events[-1]["findings"])


def test_inputs_that_share_a_part_with_those_before():
    before = [torch.zeros(8, 16), torch.zeros(4), torch.zeros(3), 2.5, torch.zeros(0)]
    new = [torch.ones(8, 16), torch.ones(4), torch.ones(3), 3.5, torch.ones(0)]
    sizes = set()
    for _ in range(60):
        large, whole, few, number, _ = later_calls.partly(before, new, [True, False, True, True, True])
        assert number == 3.5 and whole.tolist() == [1.0] * 4  # nothing that may be rolled: all of it is new
        assert few.sum() == 1.0
        flat = large.reshape(-1)
        sizes.add(int(flat.sum()))
        assert (flat != flat.roll(1)).sum() == 2  # one stretch, around the end perhaps
    assert sizes == {64, 16, 2}  # a half, an eighth, a 64th of 128
    assert new[0].sum() == 128 and before[0].sum() == 0
