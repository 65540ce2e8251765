"""What the guards and probes of one run have found so far, as the judge keeps it."""

from evaluator.events import Finding, GraphResult
from evaluator.runner import results
from evaluator.runner.supervisor_link import SupervisorLink

MOST = 200


class Findings:
    """Passes findings on, each once: a runner that is started again finds the same things again."""

    def __init__(self, supervisor: SupervisorLink, *, overturned: bool = False) -> None:
        """`overturned`: a reviewer has looked at the violations already; they reject nothing."""
        self._supervisor = supervisor
        self._overturned = overturned
        self._told: list[Finding] = []

    def __call__(self, finding: Finding) -> None:
        if finding not in self._told and len(self._told) < MOST:
            self._told.append(finding)
            self._supervisor.event("finding", finding)

    @property
    def rejection(self) -> GraphResult | None:
        """The result of every graph, once there is a violation."""
        worst = None if self._overturned else results.first_violation(self._told)
        return None if worst is None else results.violation(worst)
