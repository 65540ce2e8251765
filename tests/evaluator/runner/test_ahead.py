"""What is made ahead, and what ends first when a run takes too much memory."""

import os
import time
from types import SimpleNamespace

import pytest

from evaluator.runner import linux, processes, rlimits, watch_run, watchdog
from evaluator.runner.ahead import Ahead


def test_items_come_in_order_whether_or_not_they_were_made_before():
    made = []

    def items():
        for number in range(3):
            made.append(number)
            yield number

    ahead = Ahead(items())
    ahead.make()
    ahead.make()  # no second one
    assert made == [0]
    assert next(ahead) == 0
    assert made == [0]
    assert list(ahead) == [1, 2]


def test_a_problem_is_raised_when_its_item_is_asked_for():
    def items():
        yield 1
        raise ValueError("none")

    ahead = Ahead(items())
    assert next(ahead) == 1
    ahead.make()
    for _ in range(2):
        with pytest.raises(ValueError, match="none"):
            next(ahead)


def _holds(size, name):
    def main():
        if name:
            linux.set_name(name)
        held = b"x" * size
        time.sleep(60)
        del held

    return processes.start(main)


def test_who_compiles_ahead_ends_before_the_run_is_said_to_take_too_much():
    judge, runner = SimpleNamespace(process=_holds(0, ""), overrun=None), SimpleNamespace(limit=None)
    own, helper = _holds(64 << 20, ""), _holds(128 << 20, rlimits.AHEAD)
    pids = [own.pid, helper.pid]
    before = frozenset(processes.descendants(os.getpid())) - {judge.process.pid, *pids}
    inherited = watchdog.own_memory(os.getpid())
    try:
        end = time.monotonic() + 10
        while watchdog.memory_beyond(pids, inherited) < 180 << 20 and time.monotonic() < end:
            time.sleep(0.01)
        watch_run.watch(judge, runner, 150 << 20, inherited, before)
        assert (runner.limit, helper.wait().signal, own.poll()) == (None, 9, None)
        watch_run.watch(judge, runner, 150 << 20, inherited, before)
        assert runner.limit is None
        watch_run.watch(judge, runner, 32 << 20, inherited, before)
        assert runner.limit == "oom"
    finally:
        for process in (judge.process, own, helper):
            process.kill()
            process.wait()
