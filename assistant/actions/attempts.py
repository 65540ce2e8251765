"""Everything that changes an attempt."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least
from django.utils import timezone

from assistant.actions.conversations import MOST_CONVERSATIONS, do_offer, edits
from assistant.chat.log import NotHeld, append, state_event
from assistant.models import Attempt, Conversation, Proposal, Provider
from assistant.prompts import prompt
from assistant.providers.words import MOST_TOKENS
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Author

MOST_OPEN = 20  # attempts of an author that have not ended
STOPPED = "A person has stopped it."
_TRIES = 5
_OPEN = (Attempt.State.QUEUED, Attempt.State.RUNNING, Attempt.State.PAUSED)


def do_begin_attempts(
    author: Author,
    task: Task,
    provider: Provider,
    files: Mapping[str, str],
    goal: str,
    device: str,
    count: int,
    budget: Mapping[str, Any],
) -> list[Attempt]:
    """Queues `count` attempts alike, of which the best counts. `budget` are the row's max_… fields, for each of them.

    Raises Refused.
    """
    if budget.get("max_cost") is not None and (provider.price_input is None or provider.price_output is None):
        message = "A limit on cost needs prices. Enter what a million tokens of this model cost, in and out."
        raise Refused(400, "no_price", message)
    with transaction.atomic():
        Author.objects.select_for_update().get(pk=author.pk)
        open_ones = Attempt.objects.filter(conversation__author=author, state__in=_OPEN).count()
        if open_ones + count > MOST_OPEN:
            message = f"{open_ones} attempts have not ended; {MOST_OPEN} is the limit. Stop some, or wait for them."
            raise Refused(429, "too_many_attempts", message)
        if Conversation.objects.filter(author=author).count() + count > MOST_CONVERSATIONS:
            message = f"{MOST_CONVERSATIONS} conversations are the limit. Remove some first, with or without attempts."
            raise Refused(429, "too_many_conversations", message)
        return [_begin(author, task, provider, files, goal, device, at, count, budget) for at in range(1, count + 1)]


def _begin(
    author: Author,
    task: Task,
    provider: Provider,
    files: Mapping[str, str],
    goal: str,
    device: str,
    number: int,
    count: int,
    budget: Mapping[str, Any],
) -> Attempt:
    title = "autopilot" if count == 1 else f"autopilot {number} of {count}"
    conversation = Conversation.objects.create(author=author, task=task, provider=provider, title=title)
    spare = f"{budget['max_steps']} steps, {budget['max_seconds'] // 60} minutes"
    text = goal.strip() or "Make the best submission for this task that you can."
    names = ", ".join(sorted(files)) or "none"
    content = f"{text}\n\ntask: {task.slug} ({task.title}), {task.graph_count} graphs\nfiles: {names}\nbudget: {spare}"
    message = {"role": "user", "content": content, "shown": text, "prompts": [prompt("autopilot").label]}
    append(conversation.pk, [("message", message)])
    return Attempt.objects.create(
        conversation=conversation, device=device, first_files=dict(files), files=dict(files), cost=Decimal(0), **budget
    )


def do_claim(attempt_id: Any, holder: str) -> bool:
    """Takes a queued attempt for a thread; False when somebody else was faster."""
    running = Conversation.State.RUNNING
    with transaction.atomic():
        queued = Attempt.objects.filter(pk=attempt_id, state=Attempt.State.QUEUED)
        if queued.update(state=Attempt.State.RUNNING) != 1:
            return False
        conversation = Conversation.objects.filter(attempt=attempt_id)
        conversation.update(state=running, holder=holder, beat_at=timezone.now(), cancel_requested=False)
        append(conversation.get().pk, [state_event(running)], holder=holder)
    return True


def best_edits(attempt: Attempt) -> list[Proposal]:
    """It never ends below its best: that is what is offered in the end, not what it had in hand at last."""
    best = attempt.first_files if attempt.best_files is None else attempt.best_files
    return edits(attempt.conversation, attempt.first_files, best)


def do_leave(
    attempt: Attempt,
    holder: str,
    state: Attempt.State,
    reason: str = "",
    message: str = "",
    offers: Callable[[Attempt], list[Proposal]] = best_edits,
) -> None:
    """The thread lets go: the attempt is queued again, paused or ended, and what it offers then is proposed.

    A wish of a person that came in the meantime goes before being queued or paused. Raises NotHeld when it was not its
    any more.
    """
    idle = Conversation.State.IDLE
    proposals = offers(attempt) if state == Attempt.State.ENDED else []
    with transaction.atomic():
        wish = Attempt.objects.select_for_update().values_list("wish", flat=True).filter(pk=attempt.pk).first()
        if wish is None:
            raise NotHeld(f"attempt {attempt.pk} was removed")
        if state != Attempt.State.ENDED and wish == Attempt.Wish.STOP:
            state, reason, message = Attempt.State.ENDED, "stopped", STOPPED
            proposals = offers(attempt)
        elif state == Attempt.State.QUEUED and wish == Attempt.Wish.PAUSE:
            state = Attempt.State.PAUSED
        ended = state == Attempt.State.ENDED
        do_offer(proposals, holder)
        append(attempt.conversation_id, [state_event(idle, message)], holder=holder, state=idle)
        Attempt.objects.filter(pk=attempt.pk).update(
            state=state,
            wish=Attempt.Wish.NONE,
            exit_reason=reason,
            message=message,
            ended_at=timezone.now() if ended else None,
        )


def do_requeue_lost(silent: timedelta) -> int:
    """Queues attempts again whose thread has not been heard of for so long; returns how many.

    The lost step counts as a failure: one that takes its process down with it must not be tried for ever.
    """
    before = timezone.now() - silent
    lost = Attempt.objects.filter(state=Attempt.State.RUNNING, conversation__beat_at__lt=before)
    count = 0
    for attempt in lost.select_related("conversation"):
        idle = Conversation.State.IDLE
        with transaction.atomic():
            held = Conversation.objects.filter(pk=attempt.conversation_id, beat_at__lt=before)
            if held.update(holder="", state=idle) == 1:
                count += Attempt.objects.filter(pk=attempt.pk, state=Attempt.State.RUNNING).update(
                    state=Attempt.State.QUEUED, failures=F("failures") + 1
                )
    return count


def do_wish(attempt: Attempt, wish: Attempt.Wish) -> None:
    """Pause or stop: at once when nobody is at work, else after the step that is going on (stopping ends that, too)."""
    for _ in range(_TRIES):  # a worker may take it, or let go of it, at this moment
        found = Attempt.objects.select_related("conversation").filter(pk=attempt.pk).first()
        if found is None or found.state == Attempt.State.ENDED or _wished(found, wish):
            return


def _wished(found: Attempt, wish: Attempt.Wish) -> bool:
    """Does it to an attempt that is in this state still."""
    stops = wish == Attempt.Wish.STOP
    running = found.state == Attempt.State.RUNNING
    if running and found.wish == Attempt.Wish.STOP:
        return True  # a pause does not take that back
    changes: dict[str, Any] = {"wish": wish} if running else {"state": Attempt.State.PAUSED}
    proposals: list[Proposal] = []
    if stops and not running:
        ended = {"state": Attempt.State.ENDED, "exit_reason": "stopped", "message": STOPPED}
        changes = {**ended, "wish": Attempt.Wish.NONE, "ended_at": timezone.now()}
        proposals = best_edits(found)
    with transaction.atomic():
        if Attempt.objects.filter(pk=found.pk, state=found.state).update(**changes) != 1:
            return False
        if stops and running:
            Conversation.objects.filter(pk=found.conversation_id).update(cancel_requested=True)
        elif stops:
            do_offer(proposals, None)
            append(found.conversation_id, [state_event(Conversation.State.IDLE, STOPPED)])
    return True


def do_resume(attempt: Attempt) -> None:
    """Queues a paused attempt again. Raises Refused."""
    paused = Attempt.objects.filter(pk=attempt.pk, state=Attempt.State.PAUSED)
    if paused.update(state=Attempt.State.QUEUED, wish=Attempt.Wish.NONE) != 1:
        raise Refused(409, "not_paused", "Only a paused attempt can be resumed.")


def do_steer(attempt: Attempt, text: str) -> None:
    """A person's word to a model at work: it reads it with its next step. Raises Refused."""
    if not text.strip():
        raise Refused(400, "nothing_said", "There is nothing to say. Write something.")
    if Attempt.objects.filter(pk=attempt.pk, state=Attempt.State.ENDED).exists():
        raise Refused(409, "ended", "This attempt has ended. Begin another one.")
    message = {"role": "user", "content": text.strip(), "shown": text.strip(), "prompts": []}
    append(attempt.conversation_id, [("message", message)])


def do_count(attempt: Attempt, tokens: int, cost: Decimal | None) -> None:
    """Adds what one answer used. One without a price leaves the sum unknown for good."""
    summed = None if cost is None else F("cost") + cost  # and so it stays once it is not known
    added = min(tokens, MOST_TOKENS)
    counted = Least(F("tokens"), MOST_TOKENS - added) + added  # never more than the column holds
    Attempt.objects.filter(pk=attempt.pk).update(tokens=counted, cost=summed)


def do_keep(attempt: Attempt, holder: str) -> None:
    """Stores how far the thread is. Raises NotHeld when another one goes on with the attempt by now."""
    values = {
        name: getattr(attempt, name)
        for name in ("steps", "seconds", "failures", "files", "best_files", "best", "evaluations")
    }
    held = Attempt.objects.filter(pk=attempt.pk, conversation__holder=holder, state=Attempt.State.RUNNING)
    if held.update(**values) != 1:
        raise NotHeld(f"attempt {attempt.pk} is not held by {holder}")
