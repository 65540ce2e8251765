"""What the judge knows about one graph so far, told to the author as it becomes known."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from evaluator.engine import compare
from evaluator.engine.explain import Explanation, more_accurate
from evaluator.engine.launches import total
from evaluator.events import GraphResult, NodeInfo, OutputReport
from evaluator.events_of_speed import DeviceKernels, KernelCount, Timed
from evaluator.runner import results
from evaluator.runner.answers import Applied
from evaluator.runner.decided import Decided
from evaluator.runner.supervisor_link import SupervisorLink
from evaluator.runner.words import inaccuracy
from evaluator.verdicts import Mismatch, Status

LAST_FROZEN_T = 1  # scoring.md: from here on the verdict and the speed-up are those of t = 1


class Report:
    """Emits the events of one graph and keeps what its result needs."""

    def __init__(self, supervisor: SupervisorLink, graph: str, own_seconds: float) -> None:
        self._supervisor = supervisor
        self._own_seconds = own_seconds  # for each piece of the judge's own work
        self.graph = graph
        self.matches = 0
        self.launches: dict[str, int] = {}  # who → number
        self.outputs: list[OutputReport] = []  # of all input sets
        self.explained = False  # one explanation a graph is enough
        self._better: str | None = None
        self._outside: list[str] = []  # loads outside of tensors, in words
        self._speedup: dict[str, float] = {}  # method → eager / candidate

    @contextmanager
    def own_work(self, what: str, seconds: float | None = None) -> Iterator[None]:
        """The judge works itself: should the graph be too much for it, the supervisor ends it and knows why."""
        with self._supervisor.doing(what, self.graph, seconds or self._own_seconds):
            yield

    def started(self, index: int, number: int) -> None:
        self._emit("graph_started", {"index": index, "total": number})

    def again(self) -> None:
        """The graph is judged anew; what was found so far does not count."""
        self.matches, self.launches, self.outputs = 0, {}, []
        self.explained, self._better, self._speedup, self._outside = False, None, {}, []

    def matched(self, applied: Applied) -> None:
        self.matches = applied.matches
        self._emit(
            "matched",
            {
                "matches": applied.matches,
                "per_pass": applied.per_pass,
                "nodes": applied.nodes,
                "lines": applied.lines,
                "near_misses": applied.near_misses,
                "notes": applied.notes,
            },
        )

    def rewritten(self, applied: Applied, shapes: Mapping[str, NodeInfo]) -> None:
        """`shapes` are those of the original graph: a node that takes the place of another has its shape."""
        followers = {new: shapes[old] for new, old in applied.successors.items() if old in shapes}
        steps = {"steps": applied.steps} if applied.steps else {}
        nodes = {**shapes, **followers}
        self._emit("rewritten", {"code": applied.code, "nodes": nodes, "new_nodes": applied.new_nodes, **steps})

    def compiled(self, seconds: float) -> None:
        self._emit("compiled", {"seconds": seconds})

    def kernels(self, who: str, counts: list[KernelCount]) -> None:
        self.launches[who] = total(counts)
        self._emit("kernels", {"who": who, "total": self.launches[who], "list": counts})

    def reads_outside(self, words: list[str]) -> None:
        """What the kernels read outside of their tensors in one call: told where values are wrong."""
        self._outside = self._outside or words

    def correctness(self, input_set: str, outputs: list[OutputReport], explanation: Explanation) -> None:
        self.outputs += outputs
        if explanation:
            self.explained, self._better = True, more_accurate(explanation, outputs)
        self._emit("correctness", {"input_set": input_set, "outputs": outputs, **explanation})

    def timed(self, timing: Timed) -> None:
        """Speed-ups of the result are those of the entry `direct`; the profile `published` has only its own entry."""
        if timing["entry"] != "compiled" and "candidate" in timing["ratios"]:
            self._speedup[timing["method"]] = timing["ratios"]["candidate"]["value"]
        self._emit("timed", {**timing})

    def profiled(self, kernels: DeviceKernels) -> None:
        """What was launched on the device takes the place of the calls that were counted."""
        self.launches[kernels["who"]] = kernels["total"]
        self._emit("kernels", {**kernels})

    def measured(self, kind: str, payload: Mapping[str, Any]) -> None:
        self._emit(kind, {**payload})

    def done(self, result: GraphResult, seconds: float) -> None:
        self._supervisor.event("graph_done", results.done(self.graph, result, seconds))

    def ended(self, decided: Decided) -> GraphResult:
        """The result of a graph that did not get through all inputs."""
        return results.result(
            decided.status,
            decided.message,
            reason=decided.reason,
            matches=self.matches,
            mismatch=decided.mismatch,
            launches=self._launches(),
        )

    def compared(self) -> GraphResult:
        """The result of a graph that ran on all inputs."""
        verdict = compare.verdict(self.outputs)
        wrong = [] if verdict.status is Status.CORRECT else [inaccuracy(self.outputs, verdict), self._better]
        if wrong and verdict.mismatch in (None, Mismatch.NAN):  # a maximum with 0, for example, hides the NaN
            wrong = [*self._outside, *wrong]
        return results.result(
            verdict.status,
            " ".join(filter(None, wrong)) or None,
            matches=self.matches,
            mismatch=verdict.mismatch,
            first_t=verdict.first_t,
            launches=self._launches(),
            speedup=self._speedup or None,
        )

    @property
    def deserves_timing(self) -> bool:
        """Whether speed counts for the score: every output is right at some t that scoring looks at."""
        verdict = compare.verdict(self.outputs)
        return verdict.first_t is not None and verdict.first_t <= LAST_FROZEN_T

    def _launches(self) -> dict[str, int | None] | None:
        return {who: self.launches.get(who) for who in ("eager", "candidate")} if self.launches else None

    def _emit(self, kind: str, payload: dict[str, Any]) -> None:
        self._supervisor.event(kind, {"graph": self.graph, **payload})
