"""Every attempt is found with its class; no honest pass is."""

import pytest

from evaluator.integrity.static_check import check_files
from evaluator.verdicts import FindingClass
from tests.evaluator.integrity.cases_text import Case, read_cases

WEIGHT = {"note": 0, "suspicious": 1, "violation": 2}
ATTEMPTS, HONEST = read_cases("attempts"), read_cases("honest")

# Seen only while the submission runs: test_probes.py and test_dispatch_guard.py try these.
RUN_TIME_ONLY = {FindingClass.LEFTOVER_MEMORY}
# Notes about how well a result generalises; the judge makes them from measurements.
NOT_STATIC = {FindingClass.SHAPE_OVERFIT, FindingClass.VALUE_OVERFIT, FindingClass.IMPOSSIBLE_SPEED}


@pytest.mark.parametrize("case", ATTEMPTS, ids=lambda case: case.name)
def test_attempt_is_found(case: Case) -> None:
    found = check_files(case.files)
    matching = [one for one in found if one["class"] == case.expected]
    assert any(WEIGHT[one["severity"]] >= WEIGHT[case.severity] for one in matching), found
    assert all(one["file"] in case.files and one["line"] >= 1 and one["evidence"] for one in found)


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.name)
def test_honest_pass_stays_clean(case: Case) -> None:
    assert [one for one in check_files(case.files) if one["severity"] != "note"] == []


def test_there_are_several_tricks_for_each_class() -> None:
    tried: dict[str, int] = {}
    for case in ATTEMPTS:
        tried[str(case.expected)] = tried.get(str(case.expected), 0) + 1
    wanted = set(FindingClass) - RUN_TIME_ONLY - NOT_STATIC - {FindingClass.OUTPUT_ALIAS}
    assert {cls for cls in wanted if tried.get(cls.value, 0) < 3} == set()
    assert len(ATTEMPTS) >= 60
    assert len(HONEST) >= 25
