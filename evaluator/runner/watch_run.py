"""Whether a run's processes take more of the machine than they may, looked at a few times a second."""

import os

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
            runner.limit = "oom"
        elif len(pids) > rlimits.MOST_PROCESSES:  # root is not limited by the kernel
            runner.limit = "processes"
