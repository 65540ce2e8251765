"""A run whose session, judge and runner were there before it. On a CPU there are none; here there are."""

import os
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from serving import RunningDaemon
from small import QUICK, job, only, words

from evaluator.job import Limits
from evaluator.runner import calibration, daemon, environment, processes, warm_server

DEFAULT = Limits()


def main() -> int:
    """A daemon that has a spare."""
    environment.restart_scrubbed()
    warm_server.has_spare = lambda _: True
    broken = Path(sys.argv[1]).with_suffix(".broken")  # a device that fails who has waited; on a CPU nobody else asks
    calibration.canary = lambda _: "it does not compute" if broken.exists() else None
    return daemon.serve(Path(sys.argv[1]), "cpu")


@pytest.fixture(scope="module")
def spare_daemon():
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        running = RunningDaemon(Path(folder) / "d.sock", (__file__,))
        try:
            running.wait_until("ready")
            yield running
        finally:
            running.stop()


def waiting(running, before=frozenset()):
    """The processes of a spare, when all five are there: session, judge, and the runner with its two keepers."""
    running.wait_until("ready")  # nothing of a run is there any more
    end = time.monotonic() + 30
    while len(found := running.processes() - before) < 6:  # and the warm process
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_a_run_takes_what_is_ready_and_the_next_finds_another(spare_daemon):
    first = waiting(spare_daemon)
    for _ in range(2):
        assert words(only(spare_daemon.judge(job(limits=DEFAULT)))) == ("correct", None)
    spare_daemon.wait_until("ready")
    assert len(first & waiting(spare_daemon)) == 1  # nothing of a run is there any more


def test_a_run_with_limits_of_its_own_has_a_runner_of_its_own(spare_daemon):
    assert words(only(spare_daemon.judge(job("while True: pass", limits=replace(QUICK, call_seconds=1))))) == (
        "runtime_fail",
        "timeout",
    )


def test_judge_and_runner_that_died_while_they_waited_are_not_missed(spare_daemon):
    pids, parents = waiting(spare_daemon), processes.parents()
    (warm,) = (pid for pid in pids if parents[pid] == spare_daemon.process.pid)
    (session,) = (pid for pid in pids if parents[pid] == warm)
    ready = [pid for pid in pids if parents[pid] == session]
    for pid in ready:
        os.kill(pid, signal.SIGKILL)
    while any(map(processes.is_alive, ready)):
        time.sleep(0.02)
    assert words(only(spare_daemon.judge(job(limits=DEFAULT)))) == ("correct", None)


def test_where_the_device_fails_those_who_waited_others_judge(spare_daemon):
    waiting(spare_daemon)
    broken = spare_daemon.socket.with_suffix(".broken")
    broken.touch()
    try:
        events = spare_daemon.judge(job(limits=DEFAULT))
    finally:
        broken.unlink()
    assert words(only(events)) == ("correct", None)
    assert [event["event"] for event in events].count("static_check") == 1


def test_of_a_session_that_was_killed_while_it_waited_nothing_is_left(spare_daemon):
    pids, parents = waiting(spare_daemon), processes.parents()
    (warm,) = (pid for pid in pids if parents[pid] == spare_daemon.process.pid)
    (session,) = (pid for pid in pids if parents[pid] == warm)
    os.kill(session, signal.SIGKILL)
    end = time.monotonic() + 30
    while folders_of(session) or any(map(processes.is_alive, pids - {warm})):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert words(only(spare_daemon.judge(job(limits=DEFAULT)))) == ("correct", None)


def test_nothing_is_left_behind(spare_daemon):
    pids = waiting(spare_daemon)
    assert spare_daemon.stop() == 0
    assert not {pid for pid in pids if Path(f"/proc/{pid}").exists()}
    assert not [one for pid in pids for one in folders_of(pid)]


def folders_of(pid):
    return list(Path(tempfile.gettempdir()).glob(f"passnet-run-{pid}-*"))


if __name__ == "__main__":
    sys.exit(main())
