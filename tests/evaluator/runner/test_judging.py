"""Honest submissions through the whole road: daemon, supervisor, judge, runner."""

import pytest
from small import MODEL, QUICK, files, job, meta, only, printed, results, sample, words

from evaluator.job import Job
from graphs.samples import Sample


def kinds(events):
    return [event["event"] for event in events if event["event"] != "log"]


def test_a_correct_pass_from_first_to_last_event(judge):
    events = judge(job())
    assert kinds(events) == [
        "run_started", "static_check", "loaded", "graph_started", "kernels", "matched", "rewritten", "compiled",
        "correctness", "kernels", "correctness", "correctness", "graph_done", "generalisation", "run_done",
    ]  # fmt: skip
    result = only(events)
    assert words(result) == ("correct", None)
    assert result["matches"] == 1 and result["launches"] == {"eager": 2, "candidate": 1}
    assert result["first_t"] == -99 and result["speedup"] is None and result["message"] is None
    done = events[-1]
    assert done["verdict"] == "clean" and done["findings"] == []
    assert done["es_t"] is None and done["aggregate_score"] is None and done["device"] == "cpu"


def test_the_rewritten_graph_has_shapes_where_they_are_known(judge):
    event = next(event for event in judge(job()) if event["event"] == "rewritten")
    (launcher,) = event["new_nodes"]
    assert event["nodes"][launcher] == {"shape": [4, 8], "dtype": "float32"}
    assert event["nodes"]["in_0"] == {"shape": [4, 8], "dtype": "float32"}
    assert f"{launcher} = " in event["code"]


def test_two_passes_leave_the_graph_between_them(judge):
    add = files()["Fuse.py"].replace("torch.nn.functional.relu(tmp_0)\n    return tmp_1", "tmp_0\n    return tmp_1")
    relu = add.replace("tmp_0 = in_0 + in_1\n    tmp_1 = tmp_0", "tmp_1 = torch.nn.functional.relu(in_0)")
    relu = relu.replace("(in_0, in_1):\n    tmp_1", "(in_0):\n    tmp_1").replace(
        "args(in_0, in_1):\n    return (in_0, in_1)", "args(in_0):\n    return (in_0, in_0)"
    )
    order = '["Add", "Relu"]'
    events = judge(
        Job(
            {"sorted_output_pass_rule_names.json": order, "Add.py": add, "Relu.py": relu},
            (sample("one"),),
            limits=QUICK,
            run_id="test",
        )
    )
    event = next(event for event in events if event["event"] == "rewritten")
    (step,) = event["steps"]
    assert step["pass_name"] == "Add" and "relu" in step["code"] and "relu(" not in event["code"]


def test_every_input_set_is_compared_and_drawn_anew(judge):
    twice = [judge(job()) for _ in range(2)]
    sets = [[e["input_set"] for e in events if e["event"] == "correctness"] for events in twice]
    assert sets[0] == sets[1] == ["replay", "spread 1", "spread 1, again"]
    ranges = [e["outputs"][0]["expected_range"] for events in twice for e in events if e["event"] == "correctness"]
    assert len({tuple(one) for one in ranges}) == 6


def test_what_is_printed_is_shown_before_the_graph_is_done(judge):
    events = judge(job('print("hello", in_0.shape, "ä")', top='print("imported")'))
    assert printed(events).startswith("imported\n")
    assert printed(events).count("hello torch.Size([4, 8]) ä\n") >= 3
    done = next(at for at, event in enumerate(events) if event["event"] == "graph_done")
    assert printed(events[:done]).count("hello") >= 6  # three input sets, and at least three later calls


def test_one_bad_graph_costs_only_itself(judge):
    body = "if in_0.shape[0] == 5:\n    raise ValueError('five rows')"
    graphs = (sample("first", 4), sample("bad", 5), sample("last", 6))
    found = results(judge(job(body, graphs=graphs)))
    assert [words(found[name]) for name in ("first", "bad", "last")] == [
        ("correct", None), ("runtime_fail", "exception"), ("correct", None),
    ]  # fmt: skip
    assert found["bad"]["launches"] == {"eager": 2, "candidate": None} and found["bad"]["matches"] == 1


def test_an_exception_shows_the_authors_lines_only(judge):
    events = judge(job("helper()", top="def helper():\n    return 1 // 0"))
    result = only(events)
    assert words(result) == ("runtime_fail", "exception")
    first, *frames = result["message"].splitlines()
    assert first.startswith("Fuse.py:") and first.endswith("ZeroDivisionError: integer division or modulo by zero")
    assert [frame.partition(", in ")[2] for frame in frames] == ["launcher: helper()", "helper: return 1 // 0"]


@pytest.mark.parametrize(
    ("graph_net", "said"),
    [({"framework": "paddle"}, "graph of paddle"), ({"num_devices_required": 2}, "needs 2 devices")],
)
def test_graphs_that_are_not_for_this_machine(judge, graph_net, said):
    result = only(judge(job(graphs=(sample("other", **graph_net),))))
    assert words(result) == ("eager_fail", None) and said in result["message"]


@pytest.mark.parametrize(
    "source",
    [
        MODEL.replace("in_0 + in_1", "torch.save(in_0, in_1)"),
        MODEL.replace("in_0 + in_1", "torch.matmul(in_0, in_1)"),  # (4, 8) @ (4, 8)
        MODEL.replace("tmp_0 = ", "for tmp_0 in "),
    ],
)
def test_graphs_that_do_not_run(judge, source):
    assert words(only(judge(job(graphs=(sample("broken", source=source),))))) == ("eager_fail", None)


def test_a_graph_that_is_too_much_for_the_judge_costs_only_itself(judge):
    huge = MODEL.replace("in_0 + in_1", "(in_0 + in_1).repeat(40000, 4000)")
    graphs = (sample("before"), sample("huge", source=huge), sample("after"))
    found = results(judge(job(graphs=graphs)))
    assert words(found["before"]) == words(found["after"]) == ("correct", None)
    assert words(found["huge"]) == ("eager_fail", None), found["huge"]


def test_a_wrong_dtype_is_a_mismatch(judge):
    wrong = files()
    wrong["Fuse.py"] = wrong["Fuse.py"].replace("torch.empty_like(in_0)", "torch.empty_like(in_0, dtype=torch.float64)")
    result = only(judge(Job(wrong, (sample("one"),))))
    assert words(result) == ("accuracy", None) and result["mismatch"] == "dtype" and result["first_t"] is None
    assert result["message"] == "Output 0 is float64, the graph returns float32."


def test_an_inaccurate_pass_names_its_first_t(judge):
    wrong = files()
    wrong["Fuse.py"] = wrong["Fuse.py"].replace("tl.maximum(x + y, 0.0)", "tl.maximum(x + y, 0.0) + 0.005")
    result = only(judge(Job(wrong, (sample("one"),))))
    # |a - b| = 0.005 is allowed by atol from t = -2 on.
    assert words(result) == ("accuracy", None) and result["first_t"] == -2 and "from t = −2 on" in result["message"]


def test_random_operators_draw_the_same_numbers_on_both_sides(judge):
    source = MODEL.replace(
        "return (tmp_1,)", "tmp_2 = torch.nn.functional.dropout(tmp_1, 0.5, True)\n        return (tmp_2,)"
    )
    result = only(judge(job(graphs=(sample("random", source=source),))))
    assert words(result) == ("correct", None) and result["first_t"] == -99


def test_no_match_is_loud(judge):
    wrong = files()
    wrong["Fuse.py"] = wrong["Fuse.py"].replace("functional.relu", "functional.gelu")
    events = judge(Job(wrong, (sample("one"),)))
    result = only(events)
    assert words(result) == ("no_match", None) and result["matches"] == 0
    assert result["message"].startswith("Fuse does not match: ")
    (miss,) = next(event for event in events if event["event"] == "matched")["near_misses"]
    assert miss["pass_name"] == "Fuse"


def test_a_violation_rejects_every_graph(judge):
    events = judge(job("return torch.relu(in_0 + in_1)", graphs=(sample("one"), sample("two"))))
    assert events[-1]["verdict"] == "violation" and events[-1]["findings"]
    assert {words(result) for result in results(events).values()} == {("rejected", "violation")}
    assert "loaded" not in kinds(events)


def test_numbers_as_inputs_and_outputs(judge):
    source = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1, in_2 : torch.SymInt):
        tmp_0 = in_0 + in_1
        tmp_1 = torch.nn.functional.relu(tmp_0)
        tmp_2 = tmp_1.view(in_2)
        return (tmp_2, in_2)
"""
    count = meta("in_2", (), "int64")
    inputs = (meta("in_0", (4, 8)), meta("in_1", (4, 8)), type(count)(**{**vars(count), "data": (32,)}))
    result = only(judge(Job(files(), (Sample("numbers", source, inputs),))))
    assert words(result) == ("correct", None), result


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return out, out", "launcher returned 2 values; its pattern returns 1"),
        ("return", "launcher returns nothing: write `return …`"),
    ],
)
def test_a_launcher_with_another_number_of_values(judge, body, message):
    found = only(judge(job(body)))
    assert (found["status"], found["matches"]) == ("accuracy", 1)
    assert found["mismatch"] == "count" and found["first_t"] is None
    assert found["message"].split("\n")[0].endswith(message) and found["message"].startswith("Fuse.py:")


@pytest.mark.parametrize(
    ("relu", "mismatch", "says"),
    [
        ("x + y + tl.maximum(-x - y, 0.0)", "nan", "Output 0 has NaN or Inf where the graph has none."),
        ("tl.maximum(x + y, 0.0)", None, "Output 0 is correct "),
    ],
)
def test_a_load_outside_explains_the_wrong_values(judge, relu, mismatch, says):
    submission = files()
    submission["Fuse.py"] = submission["Fuse.py"].replace("tl.maximum(x + y, 0.0)", relu)
    text = submission["Fuse.py"].replace(
        "tl.load(y_ptr + at, mask=at < n, other=0.0)", "tl.load(y_ptr + at + 1, mask=at < n)"
    )
    line = text[: text.index("y = tl.load")].count("\n") + 1
    found = only(judge(Job({**submission, "Fuse.py": text}, (sample("one"),), limits=QUICK, run_id="test")))
    assert (found["status"], found["mismatch"]) == ("accuracy", mismatch)
    wanted = f"Fuse.py:{line}: a load of y_ptr in kernel add_relu_kernel reads outside the tensor: check its mask."
    assert found["message"].startswith(f"{wanted} {says}")
