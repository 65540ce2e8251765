"""What reviewers do to items, one or many at once: each is a step that is in the audit log and can be undone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluator.verdicts import Integrity, RunState
from graphs.plain_text import plain_line
from graphs.refused import Refused
from submissions.access import is_reviewer, may_decide, require_reviewer
from submissions.actions.reviews import LONGEST_REASON, SHORTEST_REASON, do_review_run
from submissions.audit import note
from submissions.models import Author, RegressionCase, ReviewChange, ReviewItem, ReviewLabel, ReviewStep, RunReview
from submissions.reviewing.cases import do_make_case
from submissions.safe_json import safe_text

MOST_ITEMS = 5_000  # of one step
_MOST_LABELS = 20
_MOST_NOTE = 20_000
_FIELDS = ("decision", "reason", "decided_by_id", "duplicate_of_id", "assignee_id", "note", "labels")
_DECIDED = ("decision", "reason", "decided_by", "decided_at", "duplicate_of")
Decision = ReviewItem.Decision


@dataclass(frozen=True)
class Decided:
    """`duplicate_of`: an item; None: the first one of the same cause."""

    decision: str
    reason: str = ""
    duplicate_of: int | None = None


@transaction.atomic
def do_decide(actor: Author, items: Sequence[ReviewItem], decided: Decided) -> ReviewStep:
    """Decides on items; "" opens them again. Overturning, and confirming what is only suspicious, is a review of the
    run: the judge's verdict and the reviewer's both stay on record. A fault of the harness becomes a regression case.

    Raises Refused, for all of them, where one can not be decided so.
    """
    require_reviewer(actor)
    if decided.decision not in Decision.values:
        known = ", ".join(filter(None, Decision.values))
        raise Refused(400, "unknown_decision", f"There is no decision {decided.decision[:40]!r}. Choose of: {known}.")
    own = next((item for item in items if not may_decide(actor, item)), None)
    if own is not None:
        message = f"Item {own.pk} is your own work, or of a model that you brought in. Ask another reviewer."
        raise Refused(403, "own_item", message)
    reason = safe_text(decided.reason.strip())[:LONGEST_REASON]
    before = _states(items)
    now = timezone.now()  # reviews and cases that this step makes are not older
    for item in items:
        item.duplicate_of_id = _twin(item, decided) if decided.decision == Decision.DUPLICATE else None
        _change_verdict(actor, item, decided.decision, reason)
        item.decision, item.reason = decided.decision, reason
        item.decided_by, item.decided_at = (actor, now) if decided.decision else (None, None)
    ReviewItem.objects.bulk_update(items, _DECIDED, batch_size=200)
    if decided.decision == Decision.HARNESS_FAULT:
        _make_cases(actor, items, reason or "A reviewer suspects that the harness is wrong.")
    return _step(actor, decided.decision or "open", items, before, now, reason=reason)


@transaction.atomic
def do_label(actor: Author, items: Sequence[ReviewItem], name: str, *, remove: bool = False) -> ReviewStep:
    """Puts a label on items, or takes it off. Raises Refused."""
    require_reviewer(actor)
    name = safe_text(plain_line(name)).strip().casefold()
    if not 1 <= len(name) <= 40 or "," in name:
        raise Refused(400, "bad_label", "A label is a word or two: 1 to 40 characters without a comma.")
    before = _states(items)
    pks = [item.pk for item in items]
    if remove:
        for part in _parts(pks):
            ReviewLabel.objects.filter(item__in=part, name=name).delete()
    else:
        full = next((pk for pk, state in before.items() if len(state["labels"]) >= _MOST_LABELS), None)
        if full is not None:
            raise Refused(409, "too_many_labels", f"Item {full} has {_MOST_LABELS} labels, which is the most.")
        rows = [ReviewLabel(item_id=pk, name=name) for pk in pks]
        ReviewLabel.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    return _step(actor, "unlabel" if remove else "label", items, before, label=name)


@transaction.atomic
def do_assign(actor: Author, items: Sequence[ReviewItem], name: str) -> ReviewStep:
    """Gives items to a reviewer; "me", or "" for nobody. Raises Refused for somebody who does not review."""
    require_reviewer(actor)
    who = None
    if name:
        who = actor if name == "me" else Author.objects.select_related("user").filter(name=name).first()
        if who is None or not is_reviewer(who):
            raise Refused(400, "no_reviewer", f"{name[:60]!r} is no reviewer here. Assign to a reviewer or an admin.")
    before = _states(items)
    for item in items:
        item.assignee = who
    ReviewItem.objects.bulk_update(items, ["assignee"], batch_size=500)
    return _step(actor, "assign", items, before, to=who.name if who else "")


@transaction.atomic
def do_write_note(actor: Author, item: ReviewItem, text: str) -> ReviewStep:
    """The reviewers' note of an item, as a whole. Raises Refused."""
    require_reviewer(actor)
    if len(text) > _MOST_NOTE:
        raise Refused(413, "note_too_long", f"The note has {len(text):,} characters; {_MOST_NOTE:,} are the most.")
    before = _states([item])
    item.note = safe_text(text.strip())
    item.save(update_fields=["note"])
    return _step(actor, "note", [item], before)


@transaction.atomic
def do_undo(actor: Author) -> ReviewStep:
    """Takes back this reviewer's newest step that still stands. Raises Refused where there is none, or where somebody
    has changed one of its items since."""
    require_reviewer(actor)
    step = ReviewStep.objects.select_for_update().filter(actor=actor, undone_at=None).first()
    if step is None:
        raise Refused(409, "nothing_to_undo", "You have done nothing here that could be undone.")
    changes = {change.item_id: change for change in step.changes.all()}
    items = _items(changes)
    now = _states(items)
    for item in items:
        if now[item.pk] != changes[item.pk].after:
            message = f"Item {item.pk} has been changed since by somebody. Look at it and change it by hand."
            raise Refused(409, "changed_since", message)
    if step.what in Decision.values or step.what == "open":
        _restore_verdicts(actor, items, step)
    _restore(items, {pk: change.before for pk, change in changes.items()})
    ReviewStep.objects.filter(pk=step.pk).update(undone_at=timezone.now())
    note(actor, "review_undone", f"{len(items)} items", step=step.pk, what=step.what, items=sorted(changes)[:200])
    step.refresh_from_db()
    return step


def _restore_verdicts(actor: Author, items: Sequence[ReviewItem], step: ReviewStep) -> None:
    """Takes back what a decision did beside the items: reviews of runs, and cases."""
    made = RunReview.objects.filter(reviewer=actor, created_at__gte=step.at).order_by("-pk")
    runs = {item.run.pk: item.run for item in items if item.run is not None}
    first: dict[Any, RunReview] = {}
    for part in _parts([item.pk for item in items if item.run is not None]):
        for review in made.filter(run__review_item__in=part):
            first[review.run_id] = review
    why = f"Undone: the decision {step.what} on the queue."
    for run_id, review in first.items():
        do_review_run(actor, runs[run_id], Integrity(review.before), why)
    if step.what == Decision.HARNESS_FAULT:
        for part in _parts([item.pk for item in items]):
            RegressionCase.objects.filter(item__in=part, made_by=actor, made_at__gte=step.at).delete()


def _restore(items: Sequence[ReviewItem], before: dict[int, dict[str, Any]]) -> None:
    """What steps change becomes what it was. Statements grow with batches, not with items."""
    plain = [name for name in _FIELDS if name != "labels"]
    for item in items:
        for name in plain:
            setattr(item, name, before[item.pk][name])
        item.decided_at = item.decided_at if item.decision else None
    columns = [*(name.removesuffix("_id") for name in plain), "decided_at"]
    ReviewItem.objects.bulk_update(items, columns, batch_size=200)
    now = _states(items)
    changed = [pk for pk, state in before.items() if pk in now and now[pk]["labels"] != state["labels"]]
    for part in _parts(changed):
        ReviewLabel.objects.filter(item__in=part).delete()
    wanted = [ReviewLabel(item_id=pk, name=name) for pk in changed for name in before[pk]["labels"]]
    ReviewLabel.objects.bulk_create(wanted, batch_size=500)


def _make_cases(actor: Author, items: Sequence[ReviewItem], why: str) -> None:
    """A case of each cause: one look covers a cluster, and so does one case. An item whose graphs are not here has
    none: nothing could be judged again."""
    seen = set()
    for item in items:
        if item.signature not in seen and (item.run_id is not None or item.task_id is not None):
            seen.add(item.signature)
            do_make_case(actor, item, why)


def _change_verdict(actor: Author, item: ReviewItem, decision: str, reason: str) -> None:
    """The part of a decision that is a review of the run."""
    run = item.run
    stands = (run.reviewed_verdict or run.verdict) if run is not None and run.state == RunState.DONE else ""
    wanted = None
    if decision == Decision.OVERTURN:
        if item.group != "integrity" or stands in ("", Integrity.CLEAN):
            message = (
                f"Item {item.pk} has no verdict to overturn: that is for violations and suspicions of a judged run. "
                "Where the harness is wrong, say harness fault."
            )
            raise Refused(409, "nothing_to_overturn", message)
        wanted = Integrity.CLEAN
    elif decision == Decision.CONFIRM and item.group == "integrity" and stands == Integrity.SUSPICIOUS:
        wanted = Integrity.VIOLATION
    if wanted is None or run is None:
        return
    if len(reason) < SHORTEST_REASON:
        message = f"This changes a verdict: say why, in {SHORTEST_REASON} characters or more. The author reads it."
        raise Refused(400, "no_reason", message)
    do_review_run(actor, run, wanted, reason)


def _twin(item: ReviewItem, decided: Decided) -> int:
    same = ReviewItem.objects.filter(signature=item.signature).exclude(pk=item.pk)
    if decided.duplicate_of is not None:
        found = ReviewItem.objects.filter(pk=decided.duplicate_of).exclude(pk=item.pk).first()
    else:
        found = same.filter(pk__lt=item.pk).exclude(decision=Decision.DUPLICATE).order_by("pk").first()
    if found is None:
        message = f"Item {item.pk} is the first of its cause: there is nothing it would be a duplicate of."
        raise Refused(409, "no_twin", message)
    if found.decision == Decision.DUPLICATE:
        message = f"Item {found.pk} is a duplicate itself. Name the one it is a duplicate of."
        raise Refused(409, "twin_is_duplicate", message)
    return found.pk


def _states(items: Iterable[ReviewItem]) -> dict[int, dict[str, Any]]:
    """What steps change, as it is in the database now."""
    pks = [item.pk for item in items]
    plain = [name for name in _FIELDS if name != "labels"]
    found: dict[int, dict[str, Any]] = {}
    for part in _parts(pks):
        for pk, *values in ReviewItem.objects.filter(pk__in=part).values_list("pk", *plain):
            found[pk] = {**dict(zip(plain, values, strict=True)), "labels": []}
        for pk, name in ReviewLabel.objects.filter(item__in=part).order_by("name").values_list("item_id", "name"):
            found[pk]["labels"].append(name)
    return found


def _items(pks: Iterable[int]) -> list[ReviewItem]:
    rows: list[ReviewItem] = []
    for part in _parts(list(pks)):
        rows += ReviewItem.objects.select_related("run", "author").filter(pk__in=part)
    return rows


def _parts(pks: list[int]) -> Iterable[list[int]]:
    """As many as every database takes in one statement."""
    return (pks[start : start + 500] for start in range(0, len(pks), 500))


def _step(
    actor: Author,
    what: str,
    items: Sequence[ReviewItem],
    before: dict[int, dict[str, Any]],
    at: datetime | None = None,
    **details: Any,
) -> ReviewStep:
    """Writes down what was done. `at`: when it began."""
    after = _states(items)
    subject = f"review item {items[0].pk}" if len(items) == 1 else f"{len(items)} review items"
    note(actor, f"review_{what}", subject, items=[item.pk for item in items][:200], **details)
    step = ReviewStep.objects.create(actor=actor, what=what, at=at or timezone.now())
    rows = [ReviewChange(step=step, item_id=pk, before=before[pk], after=after[pk]) for pk in sorted(after)]
    ReviewChange.objects.bulk_create(rows, batch_size=500)
    return step
