"""The look at a submission's text, before any of it is run."""

from evaluator.events import GraphResult
from evaluator.integrity.static_check import check_files
from evaluator.job import Job
from evaluator.runner import results
from evaluator.runner.findings import Findings
from evaluator.runner.supervisor_link import SupervisorLink


def check(job: Job, supervisor: SupervisorLink, tell: Findings) -> GraphResult | None:
    """Tell the findings. A violation rejects every graph: that result."""
    with supervisor.doing("reading the submission's files", seconds=job.limits.import_seconds):
        findings = check_files(job.files)
    for finding in findings:
        tell(finding)
    supervisor.event("static_check", {"findings": len(findings), "verdict": results.verdict(findings)})
    return tell.rejection
