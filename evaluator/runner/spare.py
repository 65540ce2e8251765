"""Judge and runner of the next run, started before anybody asks for it: nobody waits while CUDA starts.

They are processes like those of any other run: forked from the warm parent, the runner shut in, each used once. All
that they have done when the run comes is to get ready.
"""

import selectors
from dataclasses import dataclass, replace
from functools import partial

from evaluator.job import Job, Limits
from evaluator.runner import processes, protocol
from evaluator.runner.devices import torch_device
from evaluator.runner.processes import Process
from evaluator.runner.protocol import Channel
from evaluator.runner.runner_process import RunnerProcess


@dataclass
class Spare:
    device: str
    selector: selectors.BaseSelector  # hears what the runner prints
    judge: tuple[Process, Channel] | None  # None: it has been taken, as below
    runner: tuple[RunnerProcess, Channel] | None  # with the judge's end of the channel to it

    @staticmethod
    def start(device: str) -> "Spare":
        """Fork both from this process, which is to be the supervisor of the run."""
        from evaluator.runner import judge as judge_side  # imports torch: only in processes that are warm

        selector = selectors.DefaultSelector()
        runner = RunnerProcess.start(Job({}, (), device), selector, waits=True)
        ours, theirs = protocol.pair()
        judge = processes.start(partial(judge_side.wait, theirs, device), keep=[theirs.fileno()], stdio=(None, 2, None))
        theirs.close()
        return Spare(device, selector, (judge, ours), runner)

    def fits(self, job: Job) -> bool:
        """Whether a run can have them: the limits of a runner are set when it is shut in (what is kept is not its)."""
        limits = replace(job.limits, kept_bytes=Limits.kept_bytes)
        return limits == Limits() and torch_device(job.device) == torch_device(self.device)

    def take_judge(self, job: Job, graphs: list[str]) -> tuple[Process, Channel] | None:
        """The judge, told its job; None where it is gone."""
        taken, self.judge = self.judge, None
        if taken is None or (taken[0].poll() is None and _told(taken[1], {"job": job.to_json(), "graphs": graphs})):
            return taken
        taken[0].kill()
        return None

    def take_runner(self, job: Job, run_ends: float, judge: int) -> tuple[RunnerProcess, Channel] | None:
        """The runner, told its job; None where it is gone. `run_ends` is on the clock of time.monotonic.

        `judge` is the process that works on the run by now.
        """
        taken, self.runner = self.runner, None
        if taken is None:
            return None
        if taken[0].process.poll() is None and _told(taken[1], {"job": job.to_json(), "run_ends": run_ends}):
            return taken
        _end_runner(taken, frozenset({judge}))
        return None

    def end(self) -> None:
        """End what has not been taken."""
        if self.judge is not None:
            process, channel = self.judge
            process.kill()
            process.wait()
            channel.close()
        if self.runner is not None:
            _end_runner(self.runner, frozenset())
        self.judge = self.runner = None


def _told(channel: Channel, message: protocol.Message) -> bool:
    try:
        channel.send(message)
    except (protocol.Closed, protocol.ProtocolError):  # it has died, or the job is too long for a message
        channel.close()
        return False
    return True


def _end_runner(taken: tuple[RunnerProcess, Channel], others: frozenset[int]) -> None:
    runner, channel = taken
    channel.close()
    runner.end(others, lambda *_: True)
