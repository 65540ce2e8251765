"""The judge as the supervisor sees it: a process of ours, a channel to it, and what it says it is doing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from evaluator.job import Job
from evaluator.runner import processes, protocol
from evaluator.runner.processes import Process
from evaluator.runner.protocol import Channel
from evaluator.runner.spare import Spare


@dataclass
class JudgeProcess:
    process: Process
    channel: Channel
    doing: str = "reading the submission"
    graph: str | None = None  # the graph it is busy with
    deadline: float | None = None  # for what it does itself, such as the reference
    overrun: str | None = None  # why it was ended, if it was
    finished: bool = False
    stale: bool = False  # it has waited, and its device does not work any more: nothing has been judged

    @staticmethod
    def start(job: Job, graphs: Sequence[str], spare: Spare | None, *, first: bool) -> "JudgeProcess":
        """Have the graphs of a job judged, by the judge that has been waiting or by a fresh one.

        `first`: see `judge.main`.
        """
        from evaluator.runner import judge as judge_side  # imports torch: only in processes that are warm

        if spare is not None and (ready := spare.take_judge(job, list(graphs))) is not None:
            return JudgeProcess(*ready)
        ours, theirs = protocol.pair()
        main = partial(judge_side.main, theirs, job, graphs, first=first)
        process = processes.start(main, keep=[theirs.fileno()], stdio=(None, 2, None))
        theirs.close()
        return JudgeProcess(process, ours)
