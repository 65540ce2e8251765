"""The warm parent's side of one run: it forks a judge and, on its request, a runner; watches both; passes events on.

It decides nothing about a submission. It knows the limits, ends what passes them, says so to the judge, and starts
another judge for the remaining graphs should the first one die on a graph that is too much for it. It holds no
reference, seed or tolerance. Whoever calls `run_job` has one thread and imported torch before (`warm.py`); while a
run is on, every process that appears below it is taken for a part of the run and is dead at the end.
"""

import contextlib
import os
import selectors
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from evaluator.events import Finding, GraphResult, Log
from evaluator.integrity.analysis.report import make_finding
from evaluator.integrity.analysis.text_rules import looks_forged
from evaluator.job import Job
from evaluator.runner import linux, processes, protocol, results, watch_run, watchdog, whereabouts
from evaluator.runner.capture import Capture, Stream
from evaluator.runner.judge_process import JudgeProcess
from evaluator.runner.protocol import Message
from evaluator.runner.runner_process import RunnerProcess
from evaluator.runner.spare import Spare
from evaluator.verdicts import FindingClass, RejectReason, Severity

JUDGED, FAULT, CANCELLED = 0, 3, 130

Emit = Callable[[str, dict[str, Any]], None]

_TICK = 0.02
_MEMORY_INTERVAL = 0.1


def run_job(job: Job, emit: Emit, cancelled: Callable[[], bool] = lambda: False, spare: Spare | None = None) -> int:
    """Judge one submission and emit every event of it, `run_started` to `run_done`.

    `spare` is a judge and a runner that this process has started before.

    Returns JUDGED; CANCELLED, when `cancelled` said so (what was measured has been emitted, `run_done` has not);
    FAULT after an event `error` when the evaluator itself failed, which says nothing about the submission.
    Nothing of the run is alive when it returns.
    """
    linux.adopt_orphans()
    run = _Run(job, emit, cancelled, spare)
    try:
        run.judge()
    finally:
        run.end()
    return run.last_word()


def refuse(job: Job, emit: Emit, why: str) -> int:
    """The run of a submission that can not even be read: every graph is rejected. Returns JUDGED."""
    run = _Run(job, emit, lambda: False)
    run.emit("run_started", results.run_started(job))
    run.reject_remaining(why)
    run.end()
    return run.last_word()


class _Run:
    def __init__(self, job: Job, emit: Emit, cancelled: Callable[[], bool], spare: Spare | None = None) -> None:
        self.job = job
        self.limits = job.limits
        self.cancelled = cancelled
        self.results: dict[str, GraphResult] = {}
        self.findings: list[Finding] = []
        self.runner: RunnerProcess | None = None
        self.ending: str | None = None  # "cancelled" | "out of time" | "fault": no further judge is started
        self.fault = ""
        self._emit = emit
        self._spoken = False  # the last word
        if spare is not None and not spare.fits(job):
            spare.end()
            spare = None
        self._spare = spare
        self._selector = spare.selector if spare is not None else selectors.DefaultSelector()
        self._started = time.monotonic()
        self._before = frozenset(processes.descendants(os.getpid())) if spare is None else frozenset()
        self._inherited = watchdog.own_memory(os.getpid())
        self._next_memory_check = self._started
        self._printed: list[str] = []  # on standard output, as far as it is shown
        self._place: str | None = None  # the last runner's line when its time was nearly over, see whereabouts.py
        keep = partial(self.emit, "output")
        limits = self.limits
        self._capture = Capture(self._log, limits.streamed_bytes, limits.output_bytes, keep, limits.kept_bytes)

    def judge(self) -> None:
        self.emit("run_started", results.run_started(self.job))
        while self.remaining() and self.ending is None:
            self._one_judge()

    def last_word(self) -> int:
        """The end of the log, said once, when the submission can do nothing any more."""
        if self._spoken:
            return JUDGED
        match self.ending:
            case "cancelled":
                return CANCELLED
            case "fault":
                self.emit("error", {"message": self.fault})
                return FAULT
        self._reject_violation()
        self.emit("run_done", results.run_done(self.job, self.results, self.findings, self._elapsed()))
        self._spoken = True
        return JUDGED

    def _log(self, log: Log) -> None:
        if log["stream"] == "stdout" and not log.get("truncated"):
            self._printed.append(log["text"])
        self.emit("log", log)

    def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        if not self._spoken:  # what a dying process prints comes too late
            self._emit(kind, results.printable(payload))

    def reject_remaining(self, why: str) -> None:
        for name in self.remaining():
            self._event("graph_done", results.unreadable(name, why))

    def _reject_violation(self) -> None:
        """A violation rejects every graph, also those that were judged before it showed."""
        if looks_forged(self._printed) == Severity.VIOLATION:
            words = "prints text in the form of a result"
            self._event(
                "finding", {**make_finding(FindingClass.FORGED_OUTPUT, Severity.VIOLATION, None, None, words, "output")}
            )
        worst = None if self.job.overturned else results.first_violation(self.findings)
        for name, result in list(self.results.items()):
            if worst is not None and result["reason"] != RejectReason.VIOLATION:
                self._event("graph_done", results.done(name, results.violation(worst), 0.0))

    def remaining(self) -> list[str]:
        return [sample.name for sample in self.job.graphs if sample.name not in self.results]

    def end(self) -> None:
        """Whatever happened: nothing of the run stays alive."""
        self._end_runner(None)
        if self._spare is not None:
            self._spare.end()
        left = processes.kill_descendants(self._before)
        if left:
            print(f"processes of a run could not be ended: {left}", file=sys.stderr)
        self._selector.close()

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    # One judge, from its start to its end.

    def _one_judge(self) -> None:
        judge = JudgeProcess.start(self.job, self.remaining(), self._spare, first=not self.results)
        self._selector.register(judge.channel, selectors.EVENT_READ)
        try:
            while self.ending is None and judge.process.poll() is None:
                heard = {key.fd for key, _ in self._selector.select(_TICK)}
                self._drain()  # what was printed before an event is shown before it
                if judge.channel.fileno() in heard:
                    self._listen(judge)
                self._watch(judge)
            if self.ending is None:
                while self._listen(judge, timeout=0):
                    pass
        finally:
            judge.process.kill()
            judge.process.wait()
            self._end_runner(None)
            self._selector.unregister(judge.channel)
            judge.channel.close()
        if self.ending == "out of time":
            self._give_up_remaining(judge)
        elif judge.stale and self._spare is not None:
            self._spare.end()  # the runner has waited as long; both are started anew
        elif self.ending is None and not judge.finished:
            self._judge_died(judge)

    def _listen(self, judge: JudgeProcess, timeout: float | None = None) -> bool:
        """Obey one message of the judge; False when there is none."""
        try:
            message, _ = judge.channel.receive(timeout)
        except (protocol.Closed, TimeoutError):
            return False
        self._obey(judge, message)
        return True

    def _obey(self, judge: JudgeProcess, message: Message) -> None:
        match message["say"]:
            case "event":
                self._event(message["kind"], message["payload"])
            case "doing":
                judge.doing, judge.graph = message["what"], message["graph"]
                judge.deadline = time.monotonic() + message["seconds"] if message["seconds"] is not None else None
            case "start runner":
                self._start_runner(judge)
            case "end runner":
                self._end_runner(judge)
            case "fault":
                self.ending, self.fault = "fault", message["message"]
            case "stale":
                judge.stale = True
            case "finished":
                judge.finished = True
                self._silence_runner()
                if self.ending is None and not self.remaining():
                    self.last_word()  # what is left of its processes takes a while to be gone, and changes nothing

    def _event(self, kind: str, payload: dict[str, Any]) -> None:
        if kind == "graph_done":
            self._capture.flush()
            self.results[payload["graph"]] = results.graph_result(payload)
        elif kind == "finding":
            self.findings.append(payload)  # type: ignore[arg-type]
        self.emit(kind, payload)

    def _watch(self, judge: JudgeProcess) -> None:
        """End whatever has passed a limit."""
        now = time.monotonic()
        if self.cancelled():
            self.ending = "cancelled"
        elif self._elapsed() > self.limits.run_seconds:
            self.ending = "out of time"
        elif judge.deadline is not None and now > judge.deadline:
            judge.overrun = "it did not finish in time"
            judge.process.kill()
        elif now >= self._next_memory_check:
            watch_run.watch(judge, self.runner, self.limits.memory_bytes, self._inherited, self._before)
            self._next_memory_check = time.monotonic() + _MEMORY_INTERVAL
        if self.runner is not None:
            if self._capture.exceeded:
                self.runner.limit = "output_limit"
            if self.runner.limit is not None or self.runner.process.poll() is not None:
                self._end_runner(judge)
        self._capture.tick(now)

    def _judge_died(self, judge: JudgeProcess) -> None:
        """A graph (or the submission's text) was too much for the judge: that is its result, and the rest goes on."""
        ending = judge.process.wait()
        cause = judge.overrun or f"the process ended with {ending}"
        if ending.code == processes.FAULT_EXIT:
            self.ending = "fault"
            self.fault = f"The judge failed while {judge.doing}; the traceback is in the evaluator's log."
        elif judge.graph in self.results:
            pass  # it has its verdict; what could not be found out about it besides is missing
        elif judge.graph is not None:
            self._event("graph_done", results.eager_failed(judge.graph, f"Stopped while {judge.doing}: {cause}."))
        else:
            self.reject_remaining(f"Stopped while {judge.doing}: {cause}.")

    def _give_up_remaining(self, judge: JudgeProcess) -> None:
        for name in self.remaining():
            where = "in" if name == judge.graph else "before"
            seconds = self.limits.run_seconds
            message = f"The run ended {where} this graph: it may take {seconds:g} s in all (run_seconds)."
            if name == judge.graph and judge.deadline is None and self._place is not None:
                message += f" It was at {self._place}."
            self._event("graph_done", results.out_of_time(name, message))

    # The runner, on the judge's request.

    def _start_runner(self, judge: JudgeProcess) -> None:
        self._end_runner(judge)
        self._capture.new_process()
        ends = self._started + self.limits.run_seconds
        ready = self._spare.take_runner(self.job, ends, judge.process.pid) if self._spare is not None else None
        self.runner, channel = ready or RunnerProcess.start(self.job, self._selector, run_ends=ends)
        with channel.sock, contextlib.suppress(protocol.Closed):
            judge.channel.send({"runner": self.runner.process.pid}, [channel.fileno()])

    def _silence_runner(self) -> None:
        """Kill the runner's own process, and all of its namespace with it, and take what it has printed."""
        if self.runner is not None:
            self.runner.process.kill()
            self._drain()
            self._capture.flush()

    def _end_runner(self, judge: JudgeProcess | None) -> None:
        """End the runner, if there is one, with everything it started; tell the judge, if it lives, how it ended."""
        if self.runner is None:
            return
        runner, self.runner = self.runner, None
        others = self._before if judge is None else self._before | {judge.process.pid}
        gone = runner.end(others, self._take)
        self._place = whereabouts.place(gone["place"], self.job.files)
        self._capture.flush()
        if judge is not None:
            with contextlib.suppress(protocol.Closed):
                judge.channel.send(gone)

    def _drain(self) -> None:
        if self.runner is not None:
            self.runner.drain(self._take)

    def _take(self, stream: Stream, data: bytes) -> bool:
        """Take what the runner printed; False when it may print no more."""
        self._capture.feed(stream, data, time.monotonic())
        return not self._capture.exceeded
