"""The generalisation report: on what other inputs a right pass is right, apart from its result."""

from small import MODEL, files, job, only, results, sample, words

from evaluator.job import Job

LAUNCH = "add_relu_kernel[(triton.cdiv(n, 64),)](in_0, in_1, out, n, BLOCK=64)\n"


def report(events: list[dict]) -> dict[str, str]:
    assert words(only(events)) == ("correct", None), only(events)["message"]
    (event,) = (event for event in events if event["event"] == "generalisation")
    assert event["graph"] == "one"
    assert all(bool(check["detail"]) == (check["outcome"] != "yes") for check in event["checks"])
    return {check["name"]: check["outcome"] for check in event["checks"]}


def test_a_pass_that_ignores_strides(judge):
    """Its kernel reads the two inputs, which lie the same way, in the order of memory, and `empty_like` follows them.

    NaN: the kernel's maximum gives the number, the graph's relu gives NaN.
    """
    found = report(judge(job()))
    assert found.pop("NaN and Inf") == "no"
    assert set(found.values()) == {"yes"}
    assert set(found) == {
        "half the spread", "twice the spread", "zeros", "large values", "negative values", "non-contiguous inputs",
        "another shape",
    }  # fmt: skip


def test_what_is_wrong_elsewhere_changes_no_status(judge):
    events = judge(job("out = torch.empty(in_0.shape)\nassert in_0.is_contiguous(), 'not such inputs'\n" + LAUNCH))
    (event,) = (event for event in events if event["event"] == "generalisation")
    found = {check["name"]: check for check in event["checks"]}
    assert report(events)["non-contiguous inputs"] == "no"
    assert "not such inputs" in found["non-contiguous inputs"]["detail"]
    assert events[-1]["verdict"] == "clean"


def test_a_size_that_is_baked_in_shows_and_changes_no_status(judge):
    """4 × 8 is written into the launcher. Whatever other size is drawn, it leaves elements unwritten or raises."""
    baked = "out.fill_(-1.0)\nadd_relu_kernel[(1,)](in_0, in_1, out, 32, BLOCK=64)\nreturn out\n"
    two = (sample("one"), sample("two"))
    events = judge(job(baked, graphs=two))
    assert [words(result) for result in results(events).values()] == [("correct", None)] * 2
    assert events[-1]["verdict"] == "clean"
    for event in (event for event in events if event["event"] == "generalisation"):
        (check,) = (check for check in event["checks"] if check["name"] == "another shape")
        assert check["outcome"] == "no"
        assert check["detail"].startswith("in_0 of shape [") and " and 1 more: " in check["detail"]


def test_a_graph_that_takes_one_size_only_says_so(judge):
    source = MODEL.replace("return (tmp_1,)", "tmp_2 = tmp_1.view(4, 8)\n        return (tmp_2,)")
    assert report(judge(job(graphs=(sample("one", source=source),))))["another shape"] == "not applicable"


def test_only_a_right_pass_is_asked(judge):
    text = files()["Fuse.py"].replace("tl.maximum(x + y, 0.0)", "x + y")
    events = judge(Job({**files(), "Fuse.py": text}, (sample("one"),), run_id="test"))
    assert only(events)["status"] == "accuracy"
    assert not [event for event in events if event["event"] == "generalisation"]
