import copy

import pytest

from evaluator.runner import answers
from evaluator.runner.protocol import ProtocolError

MISS = {
    "pass_name": "Fuse",
    "kind": "constant",
    "message": "another eps",
    "suggestion": None,
    "pattern_node": "layer_norm",
    "pattern_code": "layer_norm(x)",
    "graph_node": "tmp_3",
    "graph_code": "layer_norm(y)",
    "differences": [{"argument": "eps", "expected": "1e-05", "found": "1e-12"}],
    "leaks": [{"node": "tmp_1", "pattern_node": "a", "users": ["tmp_9"]}],
    "matched": [["a", "tmp_1"]],
    "pattern_size": 3,
}
APPLIED = {
    "matches": 1,
    "per_pass": {"Fuse": 1},
    "nodes": [["tmp_0", "tmp_1"]],
    "lines": [{"tmp_0": 7, "tmp_1": 8}],
    "near_misses": [MISS],
    "notes": ["operands swapped"],
    "new_nodes": ["launcher"],
    "code": "def forward(self): ...",
    "successors": {"launcher": "tmp_1"},
    "steps": [{"pass_name": "Fuse", "code": "def forward(self): ...", "new_nodes": ["launcher"]}],
}


def test_an_honest_answer_is_taken_as_it_is():
    found = answers.applied(APPLIED)
    assert vars(found) == APPLIED


def test_quick_fixes_are_edits_and_nothing_else():
    edit = {"line": 3, "column": 4, "end_line": 3, "end_column": 9, "text": "y"}
    fix = {"kind": "form", "title": "Use the graph's form: y", "edits": [edit]}
    found = answers.near_miss({**MISS, "fixes": [{**fix, "script": "alert(1)"}]})
    assert found["fixes"] == [fix]
    assert len(answers.near_miss({**MISS, "fixes": [fix] * 100})["fixes"]) == 10
    for wrong in (3, [3], [{**fix, "edits": [{**edit, "line": -1}]}], [{**fix, "edits": [{**edit, "text": None}]}]):
        with pytest.raises(ProtocolError):
            answers.near_miss({**MISS, "fixes": wrong})


def test_fields_that_nobody_asked_for_are_dropped():
    found = answers.near_miss({**MISS, "html": "<script>"})
    assert found == MISS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("matches", -1),
        ("matches", True),
        ("matches", 10**30),
        ("matches", "1"),
        ("per_pass", []),
        ("per_pass", {"Fuse": None}),
        ("nodes", [["a", 3]]),
        ("nodes", "ab"),
        ("lines", [{"tmp_0": -1}]),
        ("lines", {"tmp_0": 7}),
        ("near_misses", [3]),
        ("near_misses", [{**MISS, "matched": [3]}]),
        ("near_misses", [{**MISS, "message": {"a": 1}}]),
        ("near_misses", [{**MISS, "differences": [{"argument": "eps", "expected": 1, "found": 2}]}]),
        ("code", None),
        ("successors", {"a": 1}),
        ("steps", [{"pass_name": "Fuse", "code": None, "new_nodes": []}]),
    ],
)
def test_an_answer_that_our_code_would_not_give_is_refused(field, value):
    answer = copy.deepcopy(APPLIED)
    answer[field] = value
    with pytest.raises((ProtocolError, KeyError, TypeError)):
        answers.applied(answer)


def test_a_failure_has_a_known_kind_and_a_bounded_message():
    assert answers.failed({"kind": "oom", "message": "x" * 10**6}).kind == "oom"
    assert len(answers.failed({"kind": "oom", "message": "x" * 10**6}).message) <= 20_000
    with pytest.raises(ProtocolError):
        answers.failed({"kind": "correct", "message": ""})


def test_kernel_counts():
    assert answers.kernel_counts([{"name": "k", "count": 2, "more": 1}]) == [{"name": "k", "count": 2}]
    with pytest.raises(ProtocolError):
        answers.kernel_counts([{"name": "k", "count": -2}])
