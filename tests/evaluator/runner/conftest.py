"""A real daemon for all tests here: each run is forked from its warm process, as it is for the workbench."""

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import BARE, GUARDED, SERVE, UNCHECKED, RunningDaemon, serving


@pytest.fixture(scope="session")
def daemon() -> Iterator[RunningDaemon]:
    yield from serving(SERVE)


@pytest.fixture(scope="session")
def unchecked_daemon() -> Iterator[RunningDaemon]:
    """Lets everything through to the runner, and has no guards there."""
    yield from serving(UNCHECKED)


@pytest.fixture(scope="session")
def guarded_daemon() -> Iterator[RunningDaemon]:
    """Lets everything through to the runner, whose guards are on."""
    yield from serving(GUARDED)


@pytest.fixture(scope="session")
def bare_daemon() -> Iterator[RunningDaemon]:
    """Also without namespaces."""
    yield from serving(BARE)


@pytest.fixture
def own_daemon() -> Iterator[RunningDaemon]:
    """One that a test may harm."""
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        running = RunningDaemon(Path(folder) / "d.sock")
        try:
            yield running
        finally:
            running.stop(signal.SIGKILL)


@pytest.fixture
def judge(daemon: RunningDaemon):
    """Judge a job; the events of the run, in order."""
    return daemon.judge


@pytest.fixture
def judge_unchecked(unchecked_daemon: RunningDaemon):
    """The same without the look at the submission's text."""
    return unchecked_daemon.judge


@pytest.fixture
def judge_guarded(guarded_daemon: RunningDaemon):
    """Judge by what the guards of the run see."""
    return guarded_daemon.judge
