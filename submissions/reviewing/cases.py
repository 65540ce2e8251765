"""A suspected fault of the harness as a case: the files of a submission and what a correct harness says about them, in
the shape of the acceptance cases' expected.json. It is judged again by `manage.py check_cases`."""

import re
from collections.abc import Mapping
from typing import Any

from evaluator.verdicts import Integrity, Severity, Status
from graphs.refused import Refused
from submissions.actions.revisions import do_hand_in
from submissions.models import Author, RegressionCase, ReviewItem, Revision
from submissions.safe_json import safe_json

_SEVERE = (Severity.VIOLATION.value, Severity.SUSPICIOUS.value)


def do_make_case(actor: Author, item: ReviewItem, why: str) -> RegressionCase:
    """The case of an item; the one that is there already, if it has one. Raises Refused where the task is not here."""
    known = item.cases.first()
    if known is not None:
        return known
    revision = _revision(item)
    slug = re.sub(r"[^a-z0-9-]+", "-", revision.task.slug.lower())[:70].strip("-") or "task"
    return RegressionCase.objects.create(
        name=f"{slug}-{item.pk}",
        item=item,
        revision=revision,
        expected=expected_of(item, revision.task.slug, why),
        made_by=actor,
    )


def expected_of(item: ReviewItem, task: str, why: str) -> dict[str, Any]:
    """What a correct harness says, by the reviewer's word: nothing is flagged and every graph is correct; where only
    the flag was wrong, each graph that was judged keeps its status."""
    said = (item.run.result or {}).get("graphs", {}) if item.run is not None else {}
    names = [str(name) for name, _ in item.run.graphs] if item.run is not None else []
    only_flag = item.group == "integrity"
    per_graph = {}
    for name in names or list(said):
        graph = said.get(name, {})
        judged = graph.get("status") not in (None, Status.REJECTED, Status.EAGER_FAIL)
        if only_flag and judged:
            entry = {"status": graph["status"], "correct_at_t": graph.get("first_t")}
        else:
            entry = {"status": Status.CORRECT.value, "correct_at_t": -5}
        per_graph[name] = entry
    made = {"task": task, "kind": "correct", "per_graph": per_graph, "why": why, "must_flag": None}
    return dict(safe_json(made))


def differences(expected: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """Where a result (the evaluator's last line) is not as expected, in words. [] where the harness agrees.

    Keys as in the acceptance cases: `status` with `also_accept`, `correct_at_t` for accuracy, `must_flag`.
    """
    found = []
    graphs = result.get("graphs") or {}
    for name, entry in (expected.get("per_graph") or {}).items():
        said = graphs.get(name)
        if said is None:
            found.append(f"{name}: not judged")
            continue
        wanted = [entry.get("status"), *(entry.get("also_accept") or ())]
        if said.get("status") not in wanted:
            message = f" ({said['message'][:200]})" if said.get("message") else ""
            found.append(f"{name}: {said.get('status')}, expected {' or '.join(map(str, wanted))}{message}")
        elif said.get("status") == Status.ACCURACY and said.get("first_t") != entry.get("correct_at_t"):
            found.append(f"{name}: first t {said.get('first_t')}, expected {entry.get('correct_at_t')}")
    flags = sorted({str(one.get("class")) for one in result.get("findings") or () if one.get("severity") in _SEVERE})
    wanted_flag = expected.get("must_flag")
    if wanted_flag is None and (flags or result.get("verdict") not in (Integrity.CLEAN, None)):
        found.append(f"flagged as {', '.join(flags) or result.get('verdict')}, expected no flag")
    elif wanted_flag is not None and wanted_flag not in flags:
        found.append(f"not flagged as {wanted_flag}; flags: {', '.join(flags) or 'none'}")
    return found


def _revision(item: ReviewItem) -> Revision:
    if item.run is not None:
        return item.run.revision
    if item.submission is None or item.task is None:
        message = "The graphs of this task are not here, so that nothing can be judged again. Import them first."
        raise Refused(409, "no_graphs", message)
    return item.submission.revision or do_hand_in(item.author, item.task, item.submission.files)
