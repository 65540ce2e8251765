"""Everything that changes an attempt."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from assistant.chat.log import NotHeld, append, state_event
from assistant.models import Attempt, Conversation, Provider
from assistant.prompts import prompt
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Author

MOST_OPEN = 20  # attempts of an author that have not ended
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


def do_leave(attempt: Attempt, holder: str, state: Attempt.State, reason: str = "", message: str = "") -> None:
    """The thread lets go: the attempt is queued again, paused or ended. Raises NotHeld when it was not its any more."""
    idle = Conversation.State.IDLE
    ended = state == Attempt.State.ENDED
    with transaction.atomic():
        append(attempt.conversation_id, [state_event(idle, message)], holder=holder, state=idle)
        Attempt.objects.filter(pk=attempt.pk).update(
            state=state,
            wish=Attempt.Wish.NONE,
            exit_reason=reason,
            message=message,
            ended_at=timezone.now() if ended else None,
        )


def do_requeue_lost(silent: timedelta) -> int:
    """Queues attempts again whose thread has not been heard of for so long; returns how many."""
    before = timezone.now() - silent
    lost = Attempt.objects.filter(state=Attempt.State.RUNNING, conversation__beat_at__lt=before)
    count = 0
    for attempt in lost.select_related("conversation"):
        idle = Conversation.State.IDLE
        with transaction.atomic():
            held = Conversation.objects.filter(pk=attempt.conversation_id, beat_at__lt=before)
            if held.update(holder="", state=idle) == 1:
                count += Attempt.objects.filter(pk=attempt.pk, state=Attempt.State.RUNNING).update(
                    state=Attempt.State.QUEUED
                )
    return count


def do_wish(attempt: Attempt, wish: Attempt.Wish) -> None:
    """Pause or stop: at once when nobody is at work, else after the step that is going on (stopping ends that, too)."""
    stops = wish == Attempt.Wish.STOP
    waiting = [Attempt.State.QUEUED, Attempt.State.PAUSED] if stops else [Attempt.State.QUEUED]
    with transaction.atomic():
        changes: dict[str, Any] = {"state": Attempt.State.PAUSED}
        if stops:
            changes = {"state": Attempt.State.ENDED, "exit_reason": "stopped", "ended_at": timezone.now()}
        if Attempt.objects.filter(pk=attempt.pk, state__in=waiting).update(**changes) == 1:
            return
        if Attempt.objects.filter(pk=attempt.pk, state=Attempt.State.RUNNING).update(wish=wish) == 1 and stops:
            Conversation.objects.filter(pk=attempt.conversation_id).update(cancel_requested=True)


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
    Attempt.objects.filter(pk=attempt.pk).update(tokens=F("tokens") + tokens, cost=summed)


def do_keep(attempt: Attempt, holder: str) -> None:
    """Stores how far the thread is. Raises NotHeld when another one goes on with the attempt by now."""
    values = {
        name: getattr(attempt, name)
        for name in ("steps", "seconds", "failures", "files", "best_files", "best", "evaluations")
    }
    held = Attempt.objects.filter(pk=attempt.pk, conversation__holder=holder, state=Attempt.State.RUNNING)
    if held.update(**values) != 1:
        raise NotHeld(f"attempt {attempt.pk} is not held by {holder}")
