"""Everything that changes a conversation."""

from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from assistant.chat.log import Event, NotHeld, append, state_event
from assistant.chat.messages import COMMANDS, View, said_by_person
from assistant.hunks import Conflict, hunks_of, merged, with_marks
from assistant.models import Attempt, Conversation, Proposal, Provider
from assistant.prompts import Prompt
from assistant.tools.files import syntax_problems
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Author

MOST_CONVERSATIONS = 500  # of an author
MOST_TURNS = 4  # of an author at a time: the threads are for everybody
LOST_AFTER = timedelta(seconds=60)  # without a sign of life of a turn's thread
_REJECTED, _ACCEPTED = "rejected", "accepted"


def do_begin(author: Author, task: Task, provider: Provider) -> Conversation:
    """A conversation in which nothing was said yet."""
    if Conversation.objects.filter(author=author).count() >= MOST_CONVERSATIONS:
        raise Refused(429, "too_many_conversations", f"There are {MOST_CONVERSATIONS} already. Remove some first.")
    return Conversation.objects.create(author=author, task=task, provider=provider)


def do_say(conversation: Conversation, holder: str, text: str, command: str, view: View) -> list[Prompt]:
    """What the person says; the turn then belongs to `holder`. Raises Refused while another one is going on."""
    if command and command not in COMMANDS:
        raise Refused(400, "unknown_command", f"There is no command /{command[:40]}. There are: {', '.join(COMMANDS)}.")
    if not text.strip() and not command:
        raise Refused(400, "nothing_said", "There is nothing to send. Write something, or choose a command.")
    content, used = said_by_person(conversation, text, command, view)
    shown = f"/{command} {text}".strip() if command else text.strip()
    message = {"role": "user", "content": content, "shown": shown, "prompts": [one.label for one in used]}
    running = Conversation.State.RUNNING
    with transaction.atomic():
        _check_turns(conversation)
        idle = Conversation.objects.filter(pk=conversation.pk, state=Conversation.State.IDLE)
        claimed = idle.update(state=running, holder=holder, cancel_requested=False, beat_at=timezone.now())
        if claimed != 1:
            raise Refused(409, "running", "The assistant is still at work in this conversation. Cancel it, or wait.")
        if not conversation.title:
            Conversation.objects.filter(pk=conversation.pk).update(title=shown[:100])
        append(conversation.pk, [("message", message), state_event(running)], holder=holder)
    conversation.refresh_from_db()
    return used


def _check_turns(conversation: Conversation) -> None:
    """Raises Refused when the author has as many turns going on as one may have. Attempts have limits of their own."""
    Author.objects.select_for_update().get(pk=conversation.author_id)
    alive = Conversation.objects.filter(
        author=conversation.author_id, state=Conversation.State.RUNNING, beat_at__gte=timezone.now() - LOST_AFTER
    )
    others = alive.exclude(pk=conversation.pk).exclude(attempt__state=Attempt.State.RUNNING)
    if others.count() >= MOST_TURNS:
        message = f"The assistant is at work in {MOST_TURNS} conversations of yours. Wait for one, or cancel it."
        raise Refused(429, "too_many_turns", message, retry_after=5)


def do_cancel(conversation: Conversation) -> None:
    """Asks the turn that is going on to end; it does within about a second."""
    running = Conversation.objects.filter(pk=conversation.pk, state=Conversation.State.RUNNING)
    running.update(cancel_requested=True)


def do_end_turn(conversation_id: str, holder: str, problem: str) -> None:
    """The turn is over, and why when it is not by itself. Does nothing to one that somebody else has ended."""
    idle = Conversation.State.IDLE
    try:
        append(conversation_id, [state_event(idle, problem)], holder=holder, state=idle)
    except NotHeld:
        return


def do_end_lost(conversation: Conversation, silent: timedelta) -> bool:
    """Ends a turn whose thread has not been heard of for so long; whether there was one."""
    lost = Conversation.objects.filter(
        pk=conversation.pk, state=Conversation.State.RUNNING, beat_at__lt=timezone.now() - silent
    ).first()
    if lost is None:
        return False
    message = "The server was restarted in the middle of this turn. What was said is kept; say it again to go on."
    do_end_turn(str(lost.pk), lost.holder, message)
    return True


def do_propose(
    conversation: Conversation, holder: str, before: Mapping[str, str], after: Mapping[str, str]
) -> list[Proposal]:
    """Offers what a turn made of the files, one proposal for each; one that does not parse says so and is no offer."""
    return do_offer(edits(conversation, before, after), holder)


def edits(conversation: Conversation, before: Mapping[str, str], after: Mapping[str, str]) -> list[Proposal]:
    """What do_propose offers, not stored yet: reading the files takes longer than a transaction should."""
    changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    problems = {name: syntax_problems({name: after[name]}) for name in changed if name in after}
    return [
        Proposal(
            conversation=conversation,
            name=name,
            before=before.get(name),
            after=after.get(name),
            problem="; ".join(problems.get(name, [])),
        )
        for name in changed
    ]


def do_offer(proposals: list[Proposal], holder: str | None) -> list[Proposal]:
    """Stores and announces them; with a holder as `append` does (raises NotHeld)."""
    with transaction.atomic():
        for one in proposals:
            one.save(force_insert=True)
        events: list[Event] = [
            ("proposal", {"proposal": one.pk, "name": one.name, "problem": one.problem}) for one in proposals
        ]
        if events:
            append(proposals[0].conversation_id, events, holder=holder)
    return proposals


def do_accept(
    proposal: Proposal,
    chosen: set[int],
    current: str | None,
    own: Mapping[int, str] | None = None,
    *,
    marks: bool = False,
) -> tuple[str | None, list[str]]:
    """What the file is to be with the chosen hunks in it (None: removed), and what does not parse in it.

    `current` is the file as it is now, None where there is none; `own` is a person's text in the place of what hunks
    propose. Raises Refused for a proposal that does not parse, and where the file has changed in the same place
    meanwhile; with `marks` both texts stand there instead, and the person decides in the editor.
    """
    if proposal.problem:
        raise Refused(409, "unreadable", f"This edit is not offered, because it does not parse: {proposal.problem}")
    before, after = str(proposal.before or ""), str(proposal.after or "")
    known = {hunk.number for hunk in hunks_of(before, after)}
    if not chosen <= known or not set(own or {}) <= chosen:
        raise Refused(404, "unknown_hunk", f"This edit has the hunks {sorted(known)}, not {sorted(chosen - known)}.")
    if proposal.after is None and current is not None and current != proposal.before:
        raise Refused(409, "conflict", "The file has changed since its removal was proposed. Remove it by hand.")
    put = with_marks if marks and proposal.after is not None else merged
    try:
        text: str | None = put(before, after, chosen, current or "", own)
    except Conflict as conflict:
        message = "The file has changed there since this was proposed. Nothing was overwritten; see both side by side."
        raise Refused(409, "conflict", message, hunks=conflict.numbers) from None
    if proposal.after is None:
        text = None if chosen == known else text
    syntax = [] if text is None else syntax_problems({proposal.name: text})
    _decide(proposal, chosen, _ACCEPTED)
    return text, syntax


def do_reject(proposal: Proposal, chosen: set[int]) -> None:
    """Notes that the person does not want these hunks."""
    _decide(proposal, chosen, _REJECTED)


def _decide(proposal: Proposal, chosen: set[int], word: str) -> None:
    with transaction.atomic():
        row = Proposal.objects.select_for_update().get(pk=proposal.pk)
        row.decisions = {**row.decisions, **{str(number): word for number in sorted(chosen)}}
        row.save(update_fields=["decisions"])
        proposal.decisions = row.decisions
