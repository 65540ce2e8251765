"""The look at a submission's text: what the rules forbid is seen before any of it runs, and while it is typed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from evaluator.events import Finding
from evaluator.integrity.analysis.drive import check_project
from evaluator.integrity.analysis.project import Project, read_project
from evaluator.integrity.analysis.report import Report
from evaluator.verdicts import FindingClass, Severity

DEPTH = 5000  # Python frames; a launcher that calls helpers a few levels deep needs some hundreds


def check_files(files: dict[str, str]) -> list[Finding]:
    """Findings on the files of a `pass_dir` (name relative to it → text), in the order of files and lines.

    Nothing of it is run or imported, and torch is not needed. What is certain is a `violation`; what an honest author
    could have written, too, is `suspicious`. Files that are not Python are left to the loader. Never raises: what can
    not be followed is said in a finding.
    """
    with _deep_recursion():
        project = read_project(files)
        report = Report(helpers=frozenset(file.name for file in project.files if not file.listed))
        if project.too_large:
            _say(report, project, "the files are too large to be read by the static check")
            return report.findings()
        try:
            check_project(project, report)
        except Exception as problem:  # a submission must not be able to stop its own judgement
            _say(report, project, f"the static check could not follow the files ({type(problem).__name__})")
    return report.findings()


def _say(report: Report, project: Project, words: str) -> None:
    file = project.files[0].name if project.files else ""
    report.add(FindingClass.RESOURCE, file, 1, f"{words}; the guards of the run decide", Severity.SUSPICIOUS)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
