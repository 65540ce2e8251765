"""Batches of models: a few attempts at a time, until every task has had its own."""

from assistant.actions.attempts import do_begin_attempts
from assistant.actions.batches import do_attach, do_leave_out, do_note_batch, do_pause_batch, do_take_results
from assistant.endpoints import endpoint_of
from assistant.models import Batch, BatchItem
from assistant.sending import check_may_send
from graphs.refused import Refused

AT_ONCE = 2  # attempts of one batch that have not ended


def go_on() -> None:
    """Takes what attempts have come to, and begins further ones."""
    for batch in Batch.objects.filter(kind=Batch.Kind.MODEL).exclude(state=Batch.State.ENDED):
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
            (attempt,) = do_begin_attempts(
                batch.author, item.task, batch.provider, {}, "", batch.device, 1, batch.budget
            )
        except Refused as refused:
            if refused.code == "never_send":
                do_leave_out(item, refused.message)
                continue
            if refused.status == 429:  # there may be room later
                do_note_batch(batch, refused.message)
            else:  # consent taken back, an account that was closed, a price that is not known
                do_pause_batch(batch, refused.message)
            return
        do_attach(item, attempt)
        do_note_batch(batch, "")
