"""Batches of models: a few attempts at a time, until every task has had its own."""

from django.db.models import Q

from assistant.actions.batches import (
    AT_ONCE,
    do_begin_item,
    do_leave_out,
    do_note_batch,
    do_pause_batch,
    do_take_results,
)
from assistant.endpoints import endpoint_of
from assistant.models import Batch, BatchItem
from assistant.sending import check_may_send
from graphs.refused import Refused


def go_on() -> None:
    """Takes what attempts have come to, also those that end with a stopped batch, and begins further ones."""
    at_work = ~Q(state=Batch.State.ENDED) | Q(items__state=BatchItem.State.RUNNING)
    for batch in Batch.objects.filter(at_work, kind=Batch.Kind.MODEL).distinct():
        do_take_results(batch)
        if batch.state == Batch.State.RUNNING:
            _begin_some(batch)


def _begin_some(batch: Batch) -> None:
    if batch.provider is None:
        do_pause_batch(batch, "Its model was removed. Begin another batch for the tasks that are left.")
        return
    running = batch.items.filter(state=BatchItem.State.RUNNING).count()
    waiting = batch.items.filter(state=BatchItem.State.WAITING).select_related("task")
    for item in waiting[: max(0, AT_ONCE - running)]:
        try:
            check_may_send(batch.author, item.task, endpoint_of(batch.provider, with_key=False).host)
            if not do_begin_item(item):
                return  # another worker was faster
        except Refused as refused:
            if refused.code == "never_send":
                do_leave_out(item, refused.message)
                continue
            if refused.status == 429:  # there may be room later
                do_note_batch(batch, refused.message)
            else:  # consent taken back, an account that was closed, a price that is not known
                do_pause_batch(batch, refused.message)
            return
        do_note_batch(batch, "")
