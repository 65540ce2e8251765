"""Collects findings: one for each class and line, the gravest wins."""

import ast
from dataclasses import dataclass, field

from evaluator.events import Finding
from evaluator.verdicts import FindingClass, Severity

DELEGATION = frozenset({FindingClass.TORCH_COMPUTE, FindingClass.TENSOR_OPERATOR, FindingClass.COMPILE_DELEGATION})
_WEIGHT = {Severity.NOTE: 0, Severity.SUSPICIOUS: 1, Severity.VIOLATION: 2}


def make_finding(
    cls: FindingClass, severity: Severity, file: str | None, line: int | None, evidence: str, check: str
) -> Finding:
    """A finding as it travels in events; evidence is cut to a readable length."""
    found: Finding = {
        "severity": severity.value,
        "file": file,
        "line": line,
        "evidence": evidence[:400],
        "check": check,
    }
    found["class"] = cls.value  # type: ignore[typeddict-unknown-key]
    return found


@dataclass
class Report:
    """Findings of one static check. `helpers` are the files that the order file does not name."""

    helpers: frozenset[str] = frozenset()
    entries: dict[tuple[FindingClass, str, int], tuple[Severity, str]] = field(default_factory=dict)
    muted: bool = False  # while code is run that nothing calls

    def add(
        self,
        cls: FindingClass,
        file: str,
        node: ast.AST | int,
        evidence: str,
        severity: Severity = Severity.VIOLATION,
    ) -> None:
        """`node` is the syntax node, or the line. Code that nothing calls can at most be noted."""
        if self.muted:
            if cls in DELEGATION:
                return
            severity = Severity.NOTE
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        if cls in DELEGATION and file in self.helpers:
            self._enter(
                FindingClass.HIDDEN_HELPER,
                file,
                line,
                f"a file that the order file does not name: {evidence}",
                severity,
            )
        self._enter(cls, file, line, evidence, severity)

    def _enter(self, cls: FindingClass, file: str, line: int, evidence: str, severity: Severity) -> None:
        known = self.entries.get((cls, file, line))
        if known is None or _WEIGHT[severity] > _WEIGHT[known[0]]:
            self.entries[(cls, file, line)] = (severity, evidence)

    def violation_lines(self, file: str) -> set[int]:
        return {
            line
            for (_, name, line), (severity, _) in self.entries.items()
            if name == file and severity is Severity.VIOLATION
        }

    def findings(self) -> list[Finding]:
        """In the order of files and lines."""
        ordered = sorted(self.entries.items(), key=lambda entry: (entry[0][1], entry[0][2], entry[0][0]))
        return [
            make_finding(cls, severity, file, line, evidence, "static")
            for (cls, file, line), (severity, evidence) in ordered
        ]
