"""Why a compiler is slower than eager on a graph, told from the ways in which it is and the launches. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Reason = Literal["", "host", "launches", "kernels", "unclear"]
REASONS: tuple[Reason, ...] = ("host", "launches", "kernels", "unclear", "")

SLOWER = "slower"  # evaluator.statistics.SpeedWord: the whole 95 % interval lies below 1

E2E, COMPILED, REPLAY, KERNEL = "e2e-direct", "e2e-compiled", "graph-direct", "kernel-direct"
#: What was timed and what both were called through, outermost first. No two of them are ever mixed.
WAYS = (COMPILED, E2E, "gpu-direct", REPLAY, KERNEL)


@dataclass(frozen=True)
class Verdict:
    """`reason` is "" for a graph that is slower by no way; `why` is one sentence."""

    reason: Reason
    why: str


def verdict(words: Mapping[str, str], eager_kernels: int | None, kernels: int | None) -> Verdict:
    """`words` has the speed word of each way that was measured; the counts are launches of one call, None: not counted.

    The innermost way that is slower decides: the sum of the kernels' times, then CUDA-graph replay, then the host's
    clock. So a graph has one reason, though it may be slower by several ways.
    """
    slow = {way for way, word in words.items() if word == SLOWER}
    counted = None if eager_kernels is None or kernels is None else (eager_kernels, kernels)
    if not slow:
        return Verdict("", "Slower than eager by no way that was measured.")
    if KERNEL in slow:
        return _by_kernel(counted)
    if REPLAY in slow:
        return _by_replay(counted, KERNEL in words)
    if slow == {COMPILED} and E2E in words:
        return Verdict("host", "Slower only through torch.compile: what its guards cost on each call.")
    if REPLAY in words or KERNEL in words:
        return Verdict("host", "Slower by the host's clock only: its kernels are not, calling them is.")
    return Verdict("unclear", "Measured by the host's clock alone: host and kernels are not told apart.")


def _by_kernel(counted: tuple[int, int] | None) -> Verdict:
    if counted is None:
        return Verdict("unclear", "Its kernels take longer than eager's; how many there are was not counted.")
    eager, compiler = counted
    if compiler > eager:
        return Verdict("launches", f"It launches more kernels ({eager} → {compiler}), and together they take longer.")
    return Verdict("kernels", f"Its kernels take longer than eager's, though there are no more ({eager} → {compiler}).")


def _by_replay(counted: tuple[int, int] | None, kernels_timed: bool) -> Verdict:
    if counted is not None and counted[1] >= counted[0]:
        eager, compiler = counted
        return Verdict("launches", f"Slower in replay, and no launch is saved ({eager} → {compiler}).")
    timed = "though its kernels are not" if kernels_timed else "and its kernels were not timed alone"
    return Verdict("unclear", f"Slower in replay, {timed}, and launches do not explain it.")
