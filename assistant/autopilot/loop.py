"""The loop: ask, call tools, keep the best, until the model is done, the budget is, or a person says so.

All of it is in the database after each step, so that another process can go on where this one was killed: what was
said in the log, the files and what is best in the attempt's row.
"""

import time
from collections.abc import Callable
from typing import Any

from assistant.actions.attempts import STOPPED, do_count, do_keep, do_leave
from assistant.actions.model_authors import do_get_model_author
from assistant.autopilot.best import evaluation_of, is_better
from assistant.chat.turn import MOST_CALLS, Watch, ask_once, call_once
from assistant.models import Attempt, Conversation, ConversationEvent, ProviderCall
from assistant.prompts import prompt
from assistant.providers import ProviderFailure, Stop, ToolCall, Turn
from assistant.tools import Workplace, call_tool
from evaluator.verdicts import RunState
from graphs.refused import Refused
from submissions.models import Author, Run

MOST_FAILURES = 3  # answers in a row that are not whole
_LEAST_SECONDS = 30.0  # for a step, however little is left

_REASONS = {
    "done": "The model says that it is done.",
    "steps": "The steps of its budget are used up.",
    "tokens": "The tokens of its budget are used up.",
    "cost": "The money of its budget is used up.",
    "time": "The time of its budget is used up.",
    "lost": f"Its step failed, or its process went away, {MOST_FAILURES} times in a row.",
    "stopped": STOPPED,
}


class _Over(Exception):
    """The attempt is to be left: in this state, for this reason."""

    def __init__(self, state: Attempt.State, reason: str = "", message: str = "") -> None:
        super().__init__(reason)
        self.state, self.reason = state, reason
        self.message = message or _REASONS.get(reason, "")


def run_attempt(attempt_id: Any, holder: str, stopping: Callable[[], bool] = lambda: False) -> None:
    """Goes on with an attempt that `holder` has claimed, until it is over or to be left. Raises NotHeld."""
    attempt = Attempt.objects.select_related(
        "conversation__author", "conversation__task", "conversation__provider"
    ).get(pk=attempt_id)
    conversation = attempt.conversation
    watch = Watch(str(conversation.pk), holder)
    place = Workplace(conversation.author, conversation.task, dict(attempt.files), attempt.device)
    try:
        place.hands_in = _model_author(conversation)
        while True:
            _check(attempt, stopping)
            _step(attempt, holder, place, lambda: stopping() or watch.cancelled())
    except _Over as over:
        do_leave(attempt, holder, over.state, over.reason, over.message)


def _model_author(conversation: Conversation) -> Author | None:
    """Under whose name runs stand. None where the provider was removed: then nothing more is asked, either."""
    if conversation.provider is None:
        return None
    try:
        return do_get_model_author(conversation.author, conversation.provider)
    except Refused as refused:
        raise _Over(Attempt.State.ENDED, refused.code, refused.message) from refused


def _check(attempt: Attempt, stopping: Callable[[], bool]) -> None:
    """Raises _Over when there is a reason not to take another step."""
    attempt.refresh_from_db()
    if attempt.wish == Attempt.Wish.STOP:
        raise _Over(Attempt.State.ENDED, "stopped")
    if attempt.wish == Attempt.Wish.PAUSE:
        raise _Over(Attempt.State.PAUSED)
    if stopping():
        raise _Over(Attempt.State.QUEUED)
    used = {
        "steps": attempt.steps >= attempt.max_steps,
        "tokens": bool(attempt.max_tokens) and attempt.tokens >= attempt.max_tokens,
        "cost": attempt.max_cost is not None and (attempt.cost is None or attempt.cost >= attempt.max_cost),
        "time": attempt.seconds >= attempt.max_seconds,
        "lost": attempt.failures >= MOST_FAILURES,
    }
    for reason, is_used in used.items():
        if is_used:
            raise _Over(Attempt.State.ENDED, reason)


def _step(attempt: Attempt, holder: str, place: Workplace, unwanted: Callable[[], bool]) -> None:
    """One answer of the model, with the tools that it calls, within what is left of the budget's time."""
    began = time.monotonic()
    until = began + max(_LEAST_SECONDS, attempt.max_seconds - attempt.seconds)
    place.cancelled = lambda: unwanted() or time.monotonic() > until
    known = attempt.conversation.seq  # as read anew by _check
    try:
        turn = _ask(attempt, holder, place)
        attempt.steps += turn.stop is not Stop.CANCELLED
        if not turn.stop.is_whole:
            _not_whole(attempt, turn)
            return
        attempt.failures = 0
        for call in turn.calls[:MOST_CALLS]:
            if place.cancelled():
                break
            place.longest_wait = max(1.0, until - time.monotonic())
            _call(attempt, holder, place, call)
    finally:
        attempt.seconds += time.monotonic() - began
        do_keep(attempt, holder)
    if not turn.calls:
        # Nobody knows what is best of an attempt that was never judged.
        judged = any(one["state"] == RunState.DONE for one in attempt.evaluations)
        if not judged and attempt.files != attempt.first_files:
            until = max(until, time.monotonic() + _LEAST_SECONDS)
            place.longest_wait = until - time.monotonic()
            _call(attempt, holder, place, ToolCall("", "evaluate", {}, ""), said=False)
        if _was_told(attempt, known):
            return  # while it answered, or was judged: it reads that first
        raise _Over(Attempt.State.ENDED, "done")


def _was_told(attempt: Attempt, seq: int) -> bool:
    """Whether a person has said something since the conversation's event of this number."""
    later = ConversationEvent.objects.filter(conversation=attempt.conversation_id, kind="message", seq__gt=seq)
    return any(said.get("role") == "user" for said in later.values_list("payload", flat=True))


def _ask(attempt: Attempt, holder: str, place: Workplace) -> Turn:
    def account(call: ProviderCall) -> None:
        do_count(attempt, call.input_tokens + call.output_tokens, call.cost)

    try:
        return ask_once(attempt.conversation, holder, place.cancelled, [prompt("autopilot")], "autopilot", account)
    except ProviderFailure as failure:
        raise _Over(Attempt.State.ENDED, "provider", failure.message) from failure
    except Refused as refused:
        raise _Over(Attempt.State.ENDED, refused.code, refused.message) from refused


def _not_whole(attempt: Attempt, turn: Turn) -> None:
    """Asked again after an answer that was cut off, a few times in a row."""
    if turn.stop is Stop.CANCELLED:
        return  # the next look at the row says why
    attempt.failures += 1
    if attempt.failures >= MOST_FAILURES:
        raise _Over(Attempt.State.ENDED, "provider", turn.problem)


def _call(attempt: Attempt, holder: str, place: Workplace, call: ToolCall, *, said: bool = True) -> None:
    """Calls a tool and keeps what came of it, before anything else can happen."""
    known = len(place.runs)
    if said:
        call_once(place, call, str(attempt.conversation_id), holder)
    else:
        call_tool(place, call)
    attempt.files = dict(place.files)
    for run_id in place.runs[known:]:
        run = Run.objects.select_related("revision").get(pk=run_id)
        evaluation = evaluation_of(run, attempt.steps)
        attempt.evaluations = [*attempt.evaluations, evaluation]
        if is_better(evaluation, attempt.best):
            attempt.best, attempt.best_files = evaluation, dict(run.revision.files)
    do_keep(attempt, holder)
