"""Whole runs on a real device whose processes were there before them. Without one this file defines no test."""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from serving import RunningDaemon
from small import job, only, words

from evaluator.job import Limits

BREAKING = Path(__file__).with_name("breaking_daemon.py")


def judged(running):
    time.sleep(2)  # the next run's processes get ready
    events = running.judge(replace(job(limits=Limits()), device="cuda", baselines=()))
    assert words(only(events)) == ("correct", None)
    return events


if torch.cuda.is_available():

    @pytest.fixture(scope="module")
    def gpu_daemon():
        with tempfile.TemporaryDirectory(prefix="pn-") as folder:
            running = RunningDaemon(Path(folder) / "d.sock", (str(BREAKING),))
            try:
                running.wait_until("ready", seconds=120)
                yield running
            finally:
                running.stop()

    def test_runs_follow_each_other(gpu_daemon):
        for _ in range(2):
            events = judged(gpu_daemon)
            assert {event["method"] for event in events if event["event"] == "timed"} == {
                "e2e",
                "gpu",
                "graph",
                "kernel",
            }
            (report,) = (event["checks"] for event in events if event["event"] == "generalisation")
            assert {check["name"]: check["outcome"] for check in report}["another shape"] == "yes"
            assert events[-1]["graphs"]["one"]["launches"] == {"eager": 2, "candidate": 1}

    def test_where_the_device_fails_those_who_waited_others_judge(gpu_daemon):
        time.sleep(2)
        breaks = gpu_daemon.socket.with_suffix(".broken")
        breaks.touch()
        events = judged(gpu_daemon)
        assert not breaks.exists()
        assert [event["event"] for event in events].count("static_check") == 1
        judged(gpu_daemon)  # the next ones are sound
