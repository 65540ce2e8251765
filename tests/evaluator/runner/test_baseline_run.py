"""Eager and Inductor measured through a real daemon, in its sandbox, with no submission."""

import tempfile
import time
from pathlib import Path

import pytest
from serving import RunningDaemon
from small import sample

from evaluator.baseline_words import COMPILER
from evaluator.job import BASELINES, Job, Limits
from evaluator.runner.baseline_run import checked

PADDLE = "It is a graph of paddle: it is shown, and can not be run here."
LIMITS = Limits(measure_seconds=240.0, disk_bytes=512 << 20)


def baselines_job(*graphs, limits=LIMITS) -> Job:
    return Job(files={}, graphs=graphs, purpose=BASELINES, limits=limits, run_id="b")


def test_graphs_are_measured_in_the_sandbox_and_one_that_can_not_be_does_not_stop_the_others(daemon):
    """Inductor starts a C++ compiler in there; the compiled graph has one kernel, as add and relu fuse."""
    events = daemon.judge(baselines_job(sample("first"), sample("other", framework="paddle"), sample("last", rows=5)))
    kinds = [event["event"] for event in events if event["event"] != "log"]
    assert kinds == ["run_started", *["graph_started", "baseline"] * 3, "run_done"]
    first, other, last = [event for event in events if event["event"] == "baseline"]
    for name, line in (("first", first), ("last", last)):
        assert (line["graph"], line["entry"], line["method"], line["threads"]) == (name, "direct", "e2e", 1)
        assert line["inductor_kernels"] == 1 and line["versions"]["torch"] and line["processor"]
        assert line["ratio"]["low"] <= line["ratio"]["value"] <= line["ratio"]["high"]
        assert line["eager_us"] > 0 and line["inductor_us"] > 0
    assert other["error"] == f"eager_fail: {PADDLE}" and "eager_us" not in other
    assert (events[-1]["measured"], events[-1]["failed"]) == (2, 1)
    assert events[0]["isolation"] == daemon.client.hello()["isolation"]


def test_a_graph_that_takes_too_long_is_said_and_nothing_is_left_behind(daemon):
    before = daemon.processes()
    late = Limits(measure_seconds=0.2, disk_bytes=512 << 20)
    events = daemon.judge(baselines_job(sample("first"), sample("last"), limits=late))
    said = [(event["graph"], event["error"]) for event in events if event["event"] == "baseline"]
    assert said == [("first", "not measured within 0.2 s"), ("last", "not measured within 0.2 s")]
    end = time.monotonic() + 30
    while daemon.processes() - before and time.monotonic() < end:
        time.sleep(0.05)
    assert not daemon.processes() - before


def test_cancelling_ends_it_with_its_compiler(daemon):
    before = daemon.processes()
    seen = []
    done = daemon.client.run(
        baselines_job(sample("first")), seen.append, lambda: any(e["event"] == "graph_started" for e in seen)
    )
    assert not done and not [event for event in seen if event["event"] == "run_done"]
    end = time.monotonic() + 30
    while daemon.processes() - before and time.monotonic() < end:
        time.sleep(0.05)
    assert not daemon.processes() - before


def test_a_missing_compiler_names_the_command_for_every_graph(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        own = RunningDaemon(Path(folder) / "d.sock")
        try:
            own.wait_until("ready", 180)
            events = own.judge(baselines_job(sample("first"), sample("last")))
        finally:
            own.stop()
    said = [(event["graph"], event["error"]) for event in events if event["event"] == "baseline"]
    assert said == [("first", COMPILER), ("last", COMPILER)]
    assert "apt-get install g++" in COMPILER


@pytest.mark.parametrize(
    "said",
    [
        {"eager_us": float("nan")},
        {"inductor_us": -1.0},
        {"inductor_us": "12.5 apples"},
        {"ratio": {"value": 1.0, "low": 0.9}},
        {"word": "much faster"},
        {"inductor_kernels": -1},
        {"threads": None},
    ],
)
def test_what_can_not_be_true_is_not_believed(said):
    right = {
        "eager_us": 4.0,
        "inductor_us": 2.0,
        "ratio": {"value": 2.0, "low": 1.9, "high": 2.1},
        "word": "faster",
        "inductor_kernels": 1,
        "threads": 1,
    }
    assert checked(right) == {**right, "entry": "direct", "method": "e2e"}
    with pytest.raises((KeyError, TypeError, ValueError)):
        checked({**right, **said})
