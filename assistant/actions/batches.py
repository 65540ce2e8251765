"""Everything that changes a batch and its items."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from assistant.models import Attempt, Batch, BatchItem, Provider
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Author

MOST_OPEN = 5  # of one author
MOST_TASKS = 5_000
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
    """Ends it; what was judged is kept, tasks that were not begun are left out."""
    with transaction.atomic():
        open_ones = Batch.objects.filter(pk=batch.pk).exclude(state=Batch.State.ENDED)
        if open_ones.update(state=Batch.State.ENDED, ended_at=timezone.now(), message="A person has stopped it.") == 1:
            waiting = BatchItem.objects.filter(batch=batch).exclude(state__in=_ENDED)
            waiting.update(state=BatchItem.State.LEFT_OUT, message="The batch was stopped.", holder="")


def do_claim_item(holder: str) -> BatchItem | None:
    """The next task of a batch of the drafter for a thread, or None."""
    waiting = BatchItem.objects.filter(
        state=BatchItem.State.WAITING, batch__state=Batch.State.RUNNING, batch__kind=Batch.Kind.DRAFTER
    )
    for pk in waiting.order_by("batch__created_at", "place").values_list("pk", flat=True)[:5]:
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


def do_attach(item: BatchItem, attempt: Attempt) -> None:
    """A model is at work on the item now."""
    BatchItem.objects.filter(pk=item.pk).update(state=BatchItem.State.RUNNING, attempt=attempt)


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
