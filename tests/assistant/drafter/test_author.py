"""The drafter over whole tasks: what it tries, what it keeps, and its figures beside Inductor's, worked out by hand."""

import json

import pytest

from assistant.drafter import GraphFacts, benchmark, draft
from assistant.drafter.author import author_task, first_ranges, rank
from assistant.drafter.captured import BadManifest, chosen
from assistant.drafter.comparison import Row, compiler_ratios, compiler_score, summary
from assistant.drafter.compiler_alone import ratios_of
from assistant.drafter.worth import saving, worthwhile
from graphs.fx_source import parse

CHAIN = """
import torch
class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + 1.0
        tmp_1 = torch.relu(tmp_0)
        tmp_2 = torch.matmul(tmp_1, in_1)
        tmp_3 = tmp_2 * 2.0
        tmp_4 = torch.sigmoid(tmp_3)
        return (tmp_4,)
"""
ONLY_VIEWS = """
import torch
class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = torch.matmul(in_0, in_1)
        tmp_1 = tmp_0.transpose(0, 1)
        return (tmp_1,)
"""
SQUARE = {"shape": [4, 4], "dtype": "float32"}
KNOWN = GraphFacts({"in_0": SQUARE, "in_1": SQUARE})


def graphs_of(source):
    graph = parse(source)
    names = [node.name for node in graph.nodes if node.op != "output"]
    return [(graph, GraphFacts(dict.fromkeys(names, SQUARE)))]


def done(score=None, *, status="correct", launched=2, verdict="clean"):
    graph = {"status": status, "first_t": -6, "launches": {"eager": 5, "candidate": launched}}
    return {"verdict": verdict, "aggregate_score": score, "graphs": {"g": graph}}


def test_it_tries_to_do_without_each_pass_and_keeps_the_best():
    def evaluate(files):
        return done(1.2 if len(files) == 2 else 1.1)  # one pass and the order file

    steps = list(author_task(graphs_of(CHAIN), evaluate, most=8))
    assert [step.what.split(" ")[0] for step in steps[:2]] == ["all", "without"]
    assert [step.is_best for step in steps[:2]] == [True, True]
    assert not any(step.is_best for step in steps[2:])  # as good is not better
    assert len(steps[0].files) == 3 and len(steps[1].files) == 2
    texts = [tuple(sorted(step.files.values())) for step in steps]
    assert len(set(texts)) == len(texts)  # nothing is judged twice


def test_it_cuts_a_pass_in_two_and_stops_at_the_limit():
    asked = []
    steps = list(author_task(graphs_of(CHAIN), lambda files: asked.append(files) or done(1.0), most=4))
    assert [step.what for step in steps][3].endswith("in two")
    assert len(asked) == 4


def test_a_view_is_handed_in_where_no_kernel_can_be():
    (only,) = first_ranges(graphs_of(ONLY_VIEWS))
    assert (only.draft.kind, only.nodes) == ("views", ("tmp_1",))


def test_nothing_is_judged_where_nothing_can_be_drafted():
    source = ONLY_VIEWS.replace("tmp_0.transpose(0, 1)", "torch.matmul(tmp_0, in_1)")
    assert list(author_task(graphs_of(source), lambda files: pytest.fail("judged"), most=3)) == []


def source_of(*lines):
    body = "".join(f"        {line}\n" for line in lines)
    return f"import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, in_0, in_1):\n{body}"


def of_size(source, *shape):
    graph = parse(source)
    known = {"shape": list(shape), "dtype": "float32"}
    return [(graph, GraphFacts({node.name: known for node in graph.nodes if node.op != "output"}))]


def test_a_launch_has_to_be_worth_it():
    two = ("tmp_0 = in_0 + in_1", "tmp_1 = torch.relu(tmp_0)", "return (tmp_1,)")
    small = of_size(source_of(*two), 4, 4)
    (item,) = first_ranges(small)
    assert saving(small[0], item) == pytest.approx(5 + 5 - 17)  # µs: two operators of eager's, one launch
    large = of_size(source_of(*two), 5000, 5000)  # 100 MB a tensor: eager moves five of them, the kernel three
    assert saving(large[0], item) == pytest.approx((5 - 3) * 100 / 2.5)
    assert worthwhile(small, [item]) == [] and worthwhile(large, [item]) == [item]


def test_where_speed_counts_a_view_is_handed_in_before_a_kernel_that_loses():
    source = source_of("tmp_0 = in_0 + in_1", "tmp_1 = tmp_0.transpose(0, 1)", "return (tmp_1,)")
    timed = list(author_task(of_size(source, 4, 4), lambda files: done(1.0), most=2, timed=True))
    assert [step.what for step in timed] == ["ranges worth a launch", "all ranges"]
    assert ["triton" in "".join(step.files.values()) for step in timed] == [False, True]
    (untimed,) = author_task(of_size(source, 4, 4), lambda files: done(), most=1)
    assert untimed.what == "all ranges"
    alone = source_of("tmp_0 = in_0 + in_1", "return (tmp_0,)")  # better slow than no match
    (only,) = author_task(of_size(alone, 4, 4), lambda files: done(1.0), most=1, timed=True)
    assert "triton" in "".join(only.files.values())


def test_flattening_an_input_is_a_view_and_flattening_what_was_transposed_is_not():
    view = draft(parse(source_of("tmp_0 = in_0.flatten(0, 1)", "return (tmp_0,)")), ["tmp_0"], KNOWN)
    assert view.kind == "views" and "tmp_0 = in_0.flatten(0, 1)" in view.text
    turned = source_of("tmp_0 = in_0.transpose(0, 1)", "tmp_1 = tmp_0.flatten(0, 1)", "return (tmp_1,)")
    copied = draft(parse(turned), ["tmp_0", "tmp_1"], KNOWN)
    assert (copied.kind, copied.kernels) == ("kernel", 1)


def test_what_is_better():
    better_first = [
        done(1.3, launched=9),
        done(1.2),
        done(None, launched=1),
        done(None, launched=2),
        done(None, status="accuracy", launched=1),
        done(9.0, verdict="violation"),
        None,
    ]
    ranks = [rank(one) for one in better_first]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == len(ranks)


def timed(graph, entry="direct", method="e2e", ratio=None, missing=None):
    ratios = {} if ratio is None else {"inductor": {"value": ratio}}
    return {
        "event": "timed", "graph": graph, "entry": entry, "method": method, "ratios": ratios, "missing": missing or {},
    }  # fmt: skip


def test_inductors_score_of_a_task():
    events = [
        timed("a", ratio=2.0), timed("a", "compiled", ratio=9.0), timed("a", method="gpu", ratio=8.0),
        timed("b", ratio=0.5), timed("c", missing={"inductor": "it failed"}), {"event": "graph_done", "graph": "a"},
    ]  # fmt: skip
    ratios = compiler_ratios(events)
    assert ratios == {"a": 2.0, "b": 0.5, "c": None}
    result = {"graphs": {name: {"status": "correct"} for name in "abcd"}}
    assert compiler_score(["a", "b"], result, ratios) == pytest.approx(1.0)  # the root of 2 · 0.5
    assert compiler_score(["a"], result, ratios) == pytest.approx(2.0)
    assert compiler_score(["a", "d"], result, ratios) is None  # d was not measured
    assert 0.1 < compiler_score(["c"], result, ratios) < 0.12  # does not compile: forgiven from t = 3 on


def test_the_summary_compares_only_what_both_have():
    def row(task, score, compiler, verdict="clean"):
        return Row(task, 2, 1, 1, verdict, score, compiler, 1, {})

    found = summary([row("a", 2.0, 1.0), row("b", 0.5, 1.0), row("c", 3.0, None), row("d", 8.0, 1.0, "suspicious")])
    assert found["tasks"] == 4 and found["tasks_compared"] == 3 and found["drafter_ahead"] == 2
    assert found["drafter_as"] == pytest.approx(2.0)  # the third root of 2 · 0.5 · 8
    assert found["inductor_as"] == pytest.approx(1.0)
    assert found["not_clean"] == ["d"]


def test_what_the_baseline_command_printed_may_be_cut_off():
    lines = [
        {"identity": "x", "entry": "direct", "method": "e2e", "backend": "inductor", "ratio": {"value": 1.5}},
        {"identity": "x", "entry": "compiled", "method": "e2e", "backend": "inductor", "ratio": {"value": 7.0}},
        {"identity": "y", "error": "it failed"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    assert ratios_of(text + '{"identity": "z", "err') == {"x": 1.5, "y": None}
    assert ratios_of("") == {}


def test_a_manifest_chooses_by_the_tasks_ids(tmp_path):
    folders = []
    for name in ("one", "two", "three"):
        folders.append(tmp_path / name)
        folders[-1].mkdir()
        (folders[-1] / "task.json").write_text(json.dumps({"id": f"id-{name}"}))
    manifest = tmp_path / "benchmark.json"
    manifest.write_text(json.dumps({"benchmark": [{"id": "id-three"}, {"id": "id-one"}]}))
    assert [folder.name for folder in chosen(folders, manifest)] == ["three", "one"]
    assert chosen(folders, None) == folders
    with pytest.raises(BadManifest, match="1 of the benchmark's 2 tasks"):
        chosen(folders[:2], manifest)
    manifest.write_text("[]")
    with pytest.raises(BadManifest, match="no list `benchmark`"):
        chosen(folders, manifest)


def test_the_command_says_what_can_not_be_read(tmp_path, capsys):
    assert benchmark.main([str(tmp_path)]) == 2
    assert "holds no task" in capsys.readouterr().err
