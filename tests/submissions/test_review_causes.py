"""Why submissions failed, told by rule: each group, and what makes two causes the same."""

import pytest

from submissions.reviewing.causes import accuracy_kind, cause_of, cause_of_import, failing_graph
from submissions.reviewing.signatures import normalised

OPERATORS = ["relu", "mul"]


def result(**graph) -> dict:
    return {"graphs": {"a": {"status": "correct"}, "b": graph}, "findings": []}


def told(said: dict, *events, verdict: str = "clean", timed: bool = False):
    return cause_of(said, verdict, OPERATORS, events, timed=timed)


def miss(**more) -> tuple:
    return "matched", {"graph": "b", "near_misses": [{"kind": "operator", "differences": [], "leaks": [], **more}]}


@pytest.mark.parametrize(
    ("graph", "group", "kind"),
    [
        ({"status": "compile_fail", "message": "A.py:3: name 'tl' is not defined"}, "compile", ""),
        ({"status": "runtime_fail", "reason": "exception", "message": "ValueError"}, "runtime", "exception"),
        ({"status": "runtime_fail", "reason": "timeout", "message": "60 s"}, "resource", "timeout"),
        ({"status": "runtime_fail", "reason": "oom", "message": "8 GiB"}, "resource", "oom"),
        ({"status": "rejected", "reason": "bad_submission", "message": "no order"}, "format", ""),
        ({"status": "eager_fail", "message": "no such operator"}, "harness", "eager_fail"),
        ({"status": "no_match"}, "no_match", "absent"),
        ({"status": "accuracy", "first_t": -3}, "accuracy", "reduction_order"),
    ],
)
def test_groups_of_the_taxonomy(graph, group, kind):
    found = told(result(**graph))
    assert (found.group, found.kind, found.graph, found.failed, found.total) == (group, kind, "b", 1, 2)


def test_the_gravest_failure_tells():
    said = {"graphs": {"a": {"status": "accuracy"}, "b": {"status": "no_match"}, "c": {"status": "compile_fail"}}}
    assert failing_graph(said) == "c"
    finding = {"class": "torch_compute", "severity": "violation", "evidence": "torch.matmul in A.py:9"}
    cheat = {**result(status="rejected", reason="violation"), "findings": [finding]}
    assert told(cheat, verdict="violation").kind == "torch_compute"
    assert told(cheat, verdict="clean").group == "integrity"  # overturned: still rejected until it is scored again
    assert told(result(status="correct")) is None


def test_the_first_node_that_differs_makes_a_cluster_whatever_things_are_called():
    one = told(result(status="no_match"), miss(graph_code="tmp_4 = in_0.mean(1)", pattern_code="b = x.sum(1)"))
    other = told(result(status="no_match"), miss(graph_code="tmp_9 = in_7.mean(-1)", pattern_code="y = z.sum(2)"))
    third = told(result(status="no_match"), miss(graph_code="tmp_9 = in_7.amax(-1)", pattern_code="y = z.sum(2)"))
    assert one.text == "mean where the pattern has sum in relu·mul"
    assert one.signature == other.signature != third.signature
    call = "torch.nn.functional.layer_norm(x, (96,), w, b, 1e-5)"
    argument = [{"argument": "eps", "expected": "1e-6", "found": "1e-5"}]
    found = told(
        result(status="no_match"), miss(kind="constant", differences=argument, graph_code=call, pattern_code=call)
    )
    assert (found.kind, found.text) == ("constant", "layer_norm: eps in relu·mul")


def test_messages_are_the_same_without_what_is_particular():
    first = "Traceback\n  File \"/tmp/x/pass_dir/Fuse.py\", line 12, in f\nAssertionError: 'a_1' has 3 of 7 at 0x7f12"
    assert normalised(first) == "AssertionError: '…' has n of n at <address>"
    assert normalised("Fuse.py:31: bad") == normalised("/home/me/Other.py:7: bad") == "<file>: bad"
    assert normalised("has no 'torch.foo'") == "has no 'torch.foo'" and normalised("") == ""
    assert len(normalised("x " * 10_000)) <= 200 and normalised("\0\ud800 <b>") == "\0\ud800 <b>"


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ({"mismatch": "nan"}, "overflow"),
        ({"mismatch": "shape"}, "systematic"),
        ({"first_t": -4, "dtype": "float16"}, "rounding"),
        ({"first_t": -4, "dtype": "float32"}, "reduction_order"),
        ({"first_t": None, "elements": 100, "differing": 10}, "indexing"),
        ({"first_t": None, "elements": 100, "differing": 99}, "systematic"),
    ],
)
def test_kinds_of_wrong_outputs(output, kind):
    assert accuracy_kind(output)[0] == kind


def test_right_but_slower_is_a_failure_where_speed_counts():
    slow = {"status": "correct", "speedup": {"e2e": 0.8}}
    assert told(result(**slow)) is None
    assert told(result(**slow), timed=True).group == "boundary"
    eager = {"who": "eager", "diff": None, "list": [{"name": "gemm", "count": 2, "duration": 5.0}]}
    kernels = [{"name": "gemm", "count": 2, "duration": 6.0}, {"name": "mine", "count": 1, "duration": 1.0}]
    own = {"who": "candidate", "diff": {"kept": ["gemm"], "new": ["mine"]}, "list": kernels}
    assert told(result(**slow), ("kernels", eager), ("kernels", own), timed=True).group == "fusion"


def test_imports_that_were_not_evaluated():
    assert cause_of_import("", [{"severity": "note", "class": "resource"}]) is None
    assert cause_of_import("NUL in A.py", []).group == "format"
    finding = {"severity": "violation", "class": "subprocess", "evidence": "os.system"}
    assert cause_of_import("", [finding]).kind == "subprocess"
