"""What a guard has seen a launcher do, and what it means by the rules."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from evaluator.events import Finding
from evaluator.integrity.analysis.report import make_finding
from evaluator.verdicts import FindingClass, Severity

CHECK = "dispatch guard"
_WORDS = {
    "work": "`%s` runs on data in a launcher",
    "copy": "`%s` copies data",
    "mutation": "`%s` writes into an input",
    "escape": "`%s` hands data to code outside of torch",
    "host": "an output that no kernel wrote, after %s were read out of data: Python does the work",
}


class GuardedCall(NamedTuple):
    """One call on data.

    `kind` is "work", "copy" (contiguous, to), "mutation" (of an input), "escape" (numpy …) or "host": an output that
    was made of numbers which had been read out of data.
    """

    op: str
    file: str | None  # relative to pass_dir
    line: int | None
    kind: str = "work"
    by_method: bool = False


def findings_of(calls: Iterable[GuardedCall], *, helpers: frozenset[str], in_place: bool) -> list[Finding]:
    """One finding for each class, severity, file and line.

    `helpers`: files that the order file does not name. `in_place`: the matched pattern writes into its inputs, so the
    launcher may.
    """
    found: dict[tuple[str, str, str | None, int | None], Finding] = {}
    for call in calls:
        for cls, severity in _meaning(call, helpers, in_place):
            key = (cls.value, severity.value, call.file, call.line)  # a copy in the same line must not hide work
            if key not in found:
                found[key] = make_finding(cls, severity, call.file, call.line, _WORDS[call.kind] % call.op, CHECK)
    return list(found.values())


def _meaning(call: GuardedCall, helpers: frozenset[str], in_place: bool) -> Iterator[tuple[FindingClass, Severity]]:
    if call.kind == "copy":
        yield FindingClass.TORCH_COMPUTE, Severity.NOTE
    elif call.kind == "escape":
        yield FindingClass.TORCH_COMPUTE, Severity.SUSPICIOUS
    elif call.kind == "mutation":
        if not in_place:
            yield FindingClass.INPUT_MUTATION, Severity.VIOLATION
    else:
        yield (FindingClass.TENSOR_OPERATOR if call.by_method else FindingClass.TORCH_COMPUTE), Severity.VIOLATION
        if call.file in helpers:
            yield FindingClass.HIDDEN_HELPER, Severity.VIOLATION
