"""How the judging of a graph ends before its outputs are compared: status, reason, and words for the author."""

import signal
from collections.abc import Callable, Sequence
from functools import partial

from evaluator.job import Limits
from evaluator.runner.answers import Applied, Failed
from evaluator.runner.processes import FAULT_EXIT
from evaluator.runner.rlimits import MOST_PROCESSES
from evaluator.runner.supervisor_link import Gone
from evaluator.verdicts import Mismatch, RejectReason, RuntimeReason, Status


class Decided(Exception):
    """The status of a graph is known; `message` says what happened, why, and what to do."""

    def __init__(
        self,
        status: Status,
        message: str,
        reason: RuntimeReason | RejectReason | None = None,
        mismatch: Mismatch | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.reason, self.mismatch = status, message, reason, mismatch


def eager_fail(message: str) -> Decided:
    return Decided(Status.EAGER_FAIL, message)


def bad_submission(message: str) -> Decided:
    return Decided(Status.REJECTED, message, RejectReason.BAD_SUBMISSION)


def runtime_fail(reason: RuntimeReason, message: str) -> Decided:
    return Decided(Status.RUNTIME_FAIL, message, reason)


def no_match(applied: Applied) -> Decided:
    """No pass changed the graph: in the words of the nearest miss."""
    if not applied.near_misses:
        return Decided(Status.NO_MATCH, "No pass changed the graph.")
    nearest = applied.near_misses[0]
    said = " ".join(part for part in (nearest["message"], nearest["suggestion"]) if part)
    return Decided(Status.NO_MATCH, f"{nearest['pass_name']} does not match: {said}")


def spoke_nonsense(what: str) -> Decided:
    """The runner's private channel carried something that our side of it never sends."""
    return runtime_fail(RuntimeReason.CRASH, f"The runner process was damaged: its channel carried {what}.")


_BY_KIND: dict[str, Callable[[str], Decided]] = {
    "bad_submission": bad_submission,
    "pattern": partial(Decided, Status.COMPILE_FAIL),
    "compile": partial(Decided, Status.COMPILE_FAIL),
    "oom": partial(runtime_fail, RuntimeReason.OOM),
    "exit": partial(runtime_fail, RuntimeReason.EARLY_EXIT),
    "outputs": partial(Decided, Status.ACCURACY, mismatch=Mismatch.COUNT),
    "exception": partial(runtime_fail, RuntimeReason.EXCEPTION),
}


def by_failure(failed: Failed) -> Decided:
    """What the submission raised."""
    return _BY_KIND[failed.kind](failed.message)


def by_ending(gone: Gone, when: str, limits: Limits, late_after: float | None, place: str | None = None) -> Decided:
    """What it means that the runner ended `when` it was busy; `late_after`: it was ended for taking so many seconds.

    `place`: the line of the submission that was running then.
    """
    if gone.limit == "oom":
        return runtime_fail(RuntimeReason.OOM, f"It used more than {_mib(limits.memory_bytes)} of memory {when}.")
    if gone.limit == "processes":
        return runtime_fail(RuntimeReason.OOM, f"It started more than {MOST_PROCESSES} processes {when}.")
    if gone.limit == "output_limit":
        words = f"It printed more than {_mib(limits.output_bytes)} {when}: print less."
        return runtime_fail(RuntimeReason.OUTPUT_LIMIT, words)
    if gone.code == FAULT_EXIT:
        return runtime_fail(RuntimeReason.CRASH, f"The runner process was damaged {when}: its own code failed.")
    if gone.code is not None:
        words = f"The submission ended the process {when} (exit status {gone.code}) instead of returning."
        return runtime_fail(RuntimeReason.EARLY_EXIT, words)
    if gone.signal == signal.SIGXCPU or (late_after is not None and gone.signal is None):
        seconds = late_after or limits.run_seconds
        words = f"It did not finish within {seconds:g} s {when}: an endless loop, or too much work?"
        words += f" It was at {place}." if place else ""
        return runtime_fail(RuntimeReason.TIMEOUT, words)
    if gone.signal is not None:
        return runtime_fail(RuntimeReason.CRASH, f"The process crashed {when}: {_signal(gone.signal)}.")
    return runtime_fail(RuntimeReason.CRASH, f"The runner process was damaged {when}: it hung up.")


def in_a_call(passes: Sequence[str]) -> str:
    """When a launcher was at work: those of `passes` stand in the graph."""
    if not passes:
        return "in a call"
    named = " and ".join(passes[:3]) + (f" and {len(passes) - 3} more" if len(passes) > 3 else "")
    return f"in a call of the rewritten graph (launcher{'' if len(passes) == 1 else 's'} of {named})"


def _mib(count: int) -> str:
    return f"{count / (1 << 20):g} MiB"


def _signal(number: int) -> str:
    match number:
        case signal.SIGSEGV | signal.SIGBUS:
            return f"{signal.Signals(number).name}, most likely an access outside of a tensor"
        case signal.SIGKILL:
            return "SIGKILL, sent by itself or by a system that is short of memory"
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
