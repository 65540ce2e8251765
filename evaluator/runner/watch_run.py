"""Whether a run's processes take more of the machine than they may, looked at a few times a second."""

import contextlib
import os
import signal

from evaluator.runner import processes, rlimits, watchdog
from evaluator.runner.judge_process import JudgeProcess
from evaluator.runner.runner_process import RunnerProcess


def watch(
    judge: JudgeProcess, runner: RunnerProcess | None, memory: int, inherited: int, others: frozenset[int]
) -> None:
    """End a judge that needs more than `memory` bytes; mark a runner (`limit`) that, with all below it, does.

    `inherited`: what every process of the run shares with this one, in bytes. `others` are no part of the run.
    """
    if watchdog.memory_beyond([judge.process.pid], inherited) > memory:
        judge.overrun = f"it needs more than the {memory >> 20} MiB that a run may use"
        judge.process.kill()
    if runner is not None:
        pids = processes.descendants(os.getpid(), others | {judge.process.pid})
        if watchdog.memory_beyond(pids, inherited) > memory:
            if not _end_forerunners(pids):
                runner.limit = "oom"
        elif len(pids) > rlimits.MOST_PROCESSES:  # root is not limited by the kernel
            runner.limit = "processes"


def _end_forerunners(pids: list[int]) -> bool:
    """Kill those that compile ahead, and have loaded the submission for that once more each; whether there were any.

    The run does without them. Whoever takes their name ends as they do, and has gained nothing.
    """
    found = [pid for pid in pids if watchdog.name(pid) == rlimits.AHEAD]
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return bool(found)
