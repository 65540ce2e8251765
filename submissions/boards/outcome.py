"""What became of one author on one task, in the numbers that a board adds up. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluator.scoring import CORRECT_AT, Failure, GraphScore, graph_score, scores

FAST = (1.0, 1.5, 2.0)
BASE = 0.1  # the failure base b: what a missing task counts


@dataclass(frozen=True)
class Outcome:
    """`score` is the task's AS; None where speed was not measured, or nothing was handed in. `run` is the run's id."""

    score: float | None
    graphs: int
    correct: int = 0
    fast: tuple[int, int, int] = (0, 0, 0)
    log_speedup: float = 0.0  # sum over the correct graphs whose speed was measured
    measured: int = 0  # how many these are
    exploit: bool = False  # what is shown here is one
    on_record: bool = False  # this or another run of the author on the task is one
    run: str = ""
    submission: int | None = None
    word: str = ""  # why there is no score, or that it is reported

    @property
    def key(self) -> str:
        """What /compare/ calls the run or submission that counts; empty for a baseline."""
        return self.run or (f"s{self.submission}" if self.submission else "")

    @property
    def solved(self) -> bool:
        """Every graph is correct, and it is no exploit, whose graphs are all wrong."""
        return self.graphs > 0 and self.correct == self.graphs


def outcome_of(graphs: Sequence[GraphScore], *, timed: bool, exploit: bool = False, run: str = "") -> Outcome:
    """`timed`: speed counts on this device; else there is no score. All graphs of an exploit are wrong."""
    right = [] if exploit else [graph for graph in graphs if graph.correct_at(CORRECT_AT)]
    speeds = [graph.speedup for graph in right if timed and graph.speedup is not None]
    judged = [GraphScore(None, Failure.VIOLATION, None)] * len(graphs) if exploit else graphs
    found = scores(judged) if timed else None
    return Outcome(
        score=None if found is None else found[1],
        graphs=len(graphs),
        correct=len(right),
        fast=tuple(sum(speed >= least for speed in speeds) for least in FAST),  # type: ignore[arg-type]
        log_speedup=math.fsum(map(math.log, speeds)),
        measured=len(speeds),
        exploit=exploit,
        on_record=exploit,
        run=run,
        word="" if found is not None or not timed else "a correct graph has no measured speed",
    )


def outcome_of_result(result: Mapping[str, Any], *, exploit: bool, run: str) -> Outcome:
    """Of a run's `run_done`. Speed is that of `e2e`, as in the run's own score; on a CPU there is none."""
    graphs = [
        graph_score(
            str(one.get("status")),
            one.get("reason"),
            one.get("mismatch"),
            one.get("first_t"),
            (one.get("speedup") or {}).get("e2e"),
        )
        for one in result.get("graphs", {}).values()
    ]
    return outcome_of(graphs, timed=result.get("device") != "cpu", exploit=exploit, run=run)


def unreadable(graphs: int, *, timed: bool, submission: int) -> Outcome:
    """A submission that can not be evaluated at all: every graph is rejected as bad, which is a compile failure."""
    found = outcome_of([GraphScore(None, Failure.COMPILE, None)] * graphs, timed=timed)
    return replace(found, submission=submission, word="the submission can not be read")


def best(outcomes: Sequence[Outcome]) -> Outcome:
    """The one that counts: no exploit if there is any such, then the score, then correct graphs, then the earliest.

    That some other one was an exploit stays on record. Outcomes come in the order of their runs.
    """
    chosen = max(outcomes, key=lambda one: (not one.exploit, one.score or 0.0, one.correct))
    return replace(chosen, on_record=any(one.exploit for one in outcomes))
