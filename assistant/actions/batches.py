"""Everything that changes a batch and its items."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from assistant.actions.attempts import do_begin_attempts, do_wish
from assistant.models import Attempt, Batch, BatchItem, Provider
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Author

MOST_OPEN = 5  # of one author
MOST_TASKS = 5_000
AT_ONCE = 2  # attempts of one batch that have not ended
_ENDED = (BatchItem.State.DONE, BatchItem.State.LEFT_OUT)


@transaction.atomic
def do_begin_batch(
    author: Author,
    kind: Batch.Kind,
    tasks: Sequence[Task],
    device: str,
    budget: Mapping[str, Any],
    version: str,
    provider: Provider | None = None,
) -> Batch:
    """Begins at once; the workers take its tasks in this order. Raises Refused."""
    Author.objects.select_for_update().get(pk=author.pk)
    if not 1 <= len(tasks) <= MOST_TASKS:
        raise Refused(400, "no_tasks", f"A batch has 1 to {MOST_TASKS:,} tasks, not {len(tasks):,}. Choose others.")
    if Batch.objects.filter(author=author).exclude(state=Batch.State.ENDED).count() >= MOST_OPEN:
        raise Refused(429, "too_many_batches", f"{MOST_OPEN} batches have not ended. Stop one, or wait for one.")
    batch = Batch.objects.create(
        author=author, kind=kind, provider=provider, device=device, budget=dict(budget), version=version
    )
    BatchItem.objects.bulk_create(BatchItem(batch=batch, task=task, place=at) for at, task in enumerate(tasks))
    return batch


def do_pause_batch(batch: Batch, message: str = "") -> None:
    """No further task is begun. The drafter leaves its task, to be taken up again; attempts of models go on."""
    Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING).update(state=Batch.State.PAUSED, message=message)


def do_note_batch(batch: Batch, message: str) -> None:
    """Says why a running batch does not get on; empty when it does."""
    Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING).exclude(message=message).update(message=message)


def do_resume_batch(batch: Batch) -> None:
    """Goes on where it was. Raises Refused."""
    paused = Batch.objects.filter(pk=batch.pk, state=Batch.State.PAUSED)
    if paused.update(state=Batch.State.RUNNING, message="") != 1:
        raise Refused(409, "not_paused", "Only a paused batch can be resumed.")


def do_stop_batch(batch: Batch) -> None:
    """Ends it; what was judged is kept, tasks that were not begun are left out, attempts at work are stopped."""
    with transaction.atomic():
        open_ones = Batch.objects.filter(pk=batch.pk).exclude(state=Batch.State.ENDED)
        if open_ones.update(state=Batch.State.ENDED, ended_at=timezone.now(), message="A person has stopped it.") != 1:
            return
        items = BatchItem.objects.filter(batch=batch).exclude(state__in=_ENDED)
        begun = [item.attempt for item in items.exclude(attempt=None).select_related("attempt")]
        items.filter(attempt=None).update(state=BatchItem.State.LEFT_OUT, message="The batch was stopped.", holder="")
    for attempt in begun:
        if attempt is not None:
            do_wish(attempt, Attempt.Wish.STOP)


def do_claim_item(holder: str) -> BatchItem | None:
    """The next task of a batch of the drafter for a thread, or None: of the batch that has waited longest for its turn,
    so that a long one is nobody's bar."""
    turns = Batch.objects.filter(state=Batch.State.RUNNING, kind=Batch.Kind.DRAFTER)
    turns = turns.annotate(served_at=Max("items__beat_at")).order_by(F("served_at").asc(nulls_first=True), "created_at")
    for batch in turns:
        waiting = batch.items.filter(state=BatchItem.State.WAITING)
        for pk in waiting.order_by("place").values_list("pk", flat=True)[:5]:
            mine = BatchItem.objects.filter(pk=pk, state=BatchItem.State.WAITING)
            if mine.update(state=BatchItem.State.RUNNING, holder=holder, beat_at=timezone.now()) == 1:
                return BatchItem.objects.select_related("batch", "task").get(pk=pk)
    return None


def do_beat(item: BatchItem) -> bool:
    """Says that its thread lives; False when the item is not its any more, or the batch is not to go on."""
    held = BatchItem.objects.filter(pk=item.pk, holder=item.holder, state=BatchItem.State.RUNNING)
    going = held.filter(batch__state=Batch.State.RUNNING)
    return held.update(beat_at=timezone.now()) == 1 and going.exists()


def do_note_evaluation(
    item: BatchItem, evaluations: Sequence[Mapping[str, Any]], best: Mapping[str, Any] | None
) -> bool:
    """Stores how far the item is; False when it is not this thread's any more."""
    held = BatchItem.objects.filter(pk=item.pk, holder=item.holder, state=BatchItem.State.RUNNING)
    return held.update(evaluations=list(evaluations), best=best, beat_at=timezone.now()) == 1


def do_leave_item(item: BatchItem, state: BatchItem.State, message: str = "") -> None:
    """The thread lets go of it: done, left out, or waiting again."""
    held = BatchItem.objects.filter(pk=item.pk, holder=item.holder, state=BatchItem.State.RUNNING)
    held.update(state=state, message=message, holder="")


def do_take_back_items(silent: timedelta) -> int:
    """Items whose thread has not been heard of for so long wait again; returns how many."""
    lost = BatchItem.objects.filter(
        state=BatchItem.State.RUNNING, attempt=None, beat_at__lt=timezone.now() - silent
    ).exclude(holder="")
    return lost.update(state=BatchItem.State.WAITING, holder="")


def do_begin_item(item: BatchItem) -> bool:
    """Lets the batch's model begin with a task; False when it is not waiting any more, or its batch has been stopped:
    several workers look at a batch. Raises Refused."""
    with transaction.atomic():
        batch = Batch.objects.select_for_update().select_related("author", "provider").get(pk=item.batch_id)
        waiting = BatchItem.objects.filter(pk=item.pk, state=BatchItem.State.WAITING)
        if batch.state != Batch.State.RUNNING or batch.provider is None or not waiting.exists():
            return False
        begun = batch.items.filter(state=BatchItem.State.RUNNING).count()
        if begun >= AT_ONCE:
            return False
        (attempt,) = do_begin_attempts(batch.author, item.task, batch.provider, {}, "", batch.device, 1, batch.budget)
        waiting.update(state=BatchItem.State.RUNNING, attempt=attempt)
    return True


def do_take_results(batch: Batch) -> None:
    """Items whose attempt has ended are done, with what it came to; one whose attempt was removed is left out."""
    running = BatchItem.objects.filter(batch=batch, state=BatchItem.State.RUNNING).select_related("attempt")
    for item in running:
        attempt = item.attempt
        if attempt is None:
            item.state, item.message = BatchItem.State.LEFT_OUT, "Its conversation was removed."
        elif attempt.state == Attempt.State.ENDED:
            item.state, item.message = BatchItem.State.DONE, attempt.message
            item.evaluations, item.best = attempt.evaluations, attempt.best
        else:
            continue
        item.save(update_fields=["state", "message", "evaluations", "best"])


def do_leave_out(item: BatchItem, why: str) -> None:
    """Nothing is tried for this task."""
    BatchItem.objects.filter(pk=item.pk, state=BatchItem.State.WAITING).update(
        state=BatchItem.State.LEFT_OUT, message=why
    )


def do_end_finished() -> None:
    """Batches all of whose tasks are done have ended."""
    for batch in Batch.objects.filter(state=Batch.State.RUNNING):
        if not batch.items.exclude(state__in=_ENDED).exists():
            Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING).update(
                state=Batch.State.ENDED, ended_at=timezone.now()
            )
