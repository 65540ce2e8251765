"""One item with everything beside it: the evidence from the run's log, files, comments, what was decided and when."""

from typing import Any

from django.db.models import Count

from submissions.access import is_admin, is_reviewer, may_decide
from submissions.models import Author, ReviewDraft, ReviewItem, Run, RunEvent
from submissions.reviewing.listing import row_of

_SHOWN = ("matched", "correctness")
_MOST_LOG = 4_000  # characters of the log's end
_MOST_STEPS = 50


def detail_of(reader: Author, item: ReviewItem) -> dict[str, Any]:
    """As the page shows it. The reviewers' note is for reviewers."""
    reviewer = is_reviewer(reader)
    run = item.run
    result: dict[str, Any] = (run.result or {}) if run is not None else {}
    draft = ReviewDraft.objects.filter(item=item, author=reader).first()
    cluster = ReviewItem.objects.filter(signature=item.signature)
    return {
        **row_of(item, [one.name for one in item.labels.all()]),
        "run": None if run is None else {"id": run.pk, "verdict": run.verdict, "reviewed": run.reviewed_verdict},
        "submission": item.submission_id,
        "graph": item.graph,
        "graphs": [
            {"name": name, **{key: graph.get(key) for key in ("status", "reason", "mismatch", "first_t", "message")}}
            for name, graph in (result.get("graphs") or {}).items()
        ],
        "findings": result.get("findings") or (item.submission.findings if item.submission else None) or [],
        "problem": item.submission.problem if item.submission else (run.message if run else ""),
        "evidence": _evidence(item, run),
        "files": _files(item),
        "reason": item.reason,
        "decided_by": item.decided_by.name if item.decided_by else None,
        "decided_at": item.decided_at,
        "duplicate_of": item.duplicate_of_id,
        "note": item.note if reviewer else "",
        "comments": _comments(reader, item),
        "steps": _steps(item) if reviewer else [],
        "reviews": [
            {"reviewer": one.reviewer.name, "before": one.before, "verdict": one.verdict, "reason": one.reason}
            for one in (run.reviews.select_related("reviewer") if run is not None else ())
        ],
        "cases": [{"name": case.name, "differences": case.differences} for case in item.cases.all()],
        "rerun": _rerun(item.rerun),
        "cluster": cluster.aggregate(count=Count("pk"), authors=Count("author", distinct=True)),
        "draft": draft.fields if draft is not None else {},
        "may_decide": may_decide(reader, item),
        "may_review": reviewer,
    }


def _evidence(item: ReviewItem, run: Run | None) -> dict[str, Any]:
    """Of the graph that tells: near misses, outputs that are wrong, the end of the log."""
    if run is None:
        return {"near_misses": [], "outputs": [], "log": ""}
    rows = RunEvent.objects.filter(run=run, kind__in=(*_SHOWN, "log")).order_by("seq").values_list("kind", "payload")
    misses: list[Any] = []
    outputs: list[Any] = []
    log = ""
    for kind, payload in rows:
        if kind == "log":
            log = (log + str(payload.get("text") or ""))[-_MOST_LOG:]
        elif payload.get("graph") != item.graph:
            continue
        elif kind == "matched":
            misses += (payload.get("near_misses") or [])[:3]
        else:
            outputs += [
                {**output, "input_set": payload.get("input_set"), "map": _map(payload, output)}
                for output in payload.get("outputs") or ()
                if output.get("mismatch") or output.get("first_t") is None or output["first_t"] > -5
            ]
    return {"near_misses": misses[:3], "outputs": outputs[:4], "log": log}


def _map(payload: dict[str, Any], output: dict[str, Any]) -> Any:
    maps = payload.get("error_maps") or []
    index = output.get("index")
    return maps[index] if isinstance(index, int) and 0 <= index < len(maps) else None


def _files(item: ReviewItem) -> dict[str, str]:
    if item.run is not None:
        return dict(item.run.revision.files)
    files = item.submission.files if item.submission is not None else {}
    return {name: text.encode("utf-8", "replace").decode() for name, text in files.items()}


def _comments(reader: Author, item: ReviewItem) -> list[dict[str, Any]]:
    admin = is_admin(reader)
    return [
        {
            "id": one.pk,
            "author": one.author.name,
            "text": "" if one.withdrawn_at else one.text,
            "at": one.created_at,
            "withdrawn": one.withdrawn_at is not None,
            "mine": one.author_id == reader.pk or admin,
        }
        for one in item.comments.select_related("author")
    ]


def _steps(item: ReviewItem) -> list[dict[str, Any]]:
    """What was done to this item, the newest first."""
    rows = item.changes.select_related("step__actor").order_by("-pk")[:_MOST_STEPS]
    return [
        {"who": row.step.actor.name, "what": row.step.what, "at": row.step.at, "undone": row.step.undone_at is not None}
        for row in rows
    ]


def _rerun(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {"id": run.pk, "state": run.state, "correct": run.correct, "total": run.total, "verdict": run.verdict}
