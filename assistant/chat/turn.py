"""One turn of a conversation: the model is asked, its tools are called, it is asked again, until it has said its piece.

The turn runs in a thread of the web process that was asked for it: it waits for others nearly all of its time. The log
is the truth. A turn whose process has gone is ended by whoever looks at the conversation next.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.db import connections
from django.utils import timezone

from assistant.actions.conversations import do_end_turn, do_propose
from assistant.asking import ask_provider
from assistant.chat.log import Event, NotHeld, append
from assistant.chat.messages import answer_message, chat_so_far
from assistant.endpoints import endpoint_of
from assistant.models import Conversation, ProviderCall
from assistant.prompts import Prompt, prompt
from assistant.providers import Ask, ProviderFailure, Stop, Text, ToolCall, Turn, Waits
from assistant.sending import check_may_send
from assistant.tools import Workplace, call_tool, tool_specs
from graphs.refused import Refused

log = logging.getLogger(__name__)

MOST_STEPS = 24  # questions to the model in one turn
MOST_CALLS = 32  # tool calls of one answer that are made; the model hears which were not
BEAT_SECONDS = 5.0
_DELTA_SECONDS = 0.25
_LOOK_SECONDS = 0.4
AT_ONCE = 16

_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="assistant")


def start_turn(conversation: Conversation, files: dict[str, str], device: str, used: Sequence[Prompt]) -> None:
    """Runs the turn that `conversation.holder` was given, beside the request that asked for it."""
    _threads.submit(_run, str(conversation.pk), conversation.holder, files, device, list(used))


def new_holder() -> str:
    """A name for the thread of a turn."""
    return uuid.uuid4().hex


def _run(conversation_id: str, holder: str, files: dict[str, str], device: str, used: list[Prompt]) -> None:
    try:
        run_turn(conversation_id, holder, files, device, used)
    except NotHeld:
        log.info("conversation %s was ended by somebody else", conversation_id)
    except Exception:
        log.exception("a turn of conversation %s failed", conversation_id)
        message = "The assistant failed; that is a fault of the workbench. The reason is in its log."
        do_end_turn(conversation_id, holder, message)
    finally:
        connections.close_all()


def run_turn(conversation_id: str, holder: str, files: dict[str, str], device: str, used: Sequence[Prompt]) -> None:
    """The turn itself; `files` are those of the page when it was asked for. Raises NotHeld."""
    conversation = Conversation.objects.select_related("author", "task", "provider").get(pk=conversation_id)
    watch = Watch(conversation_id, holder)
    place = Workplace(conversation.author, conversation.task, dict(files), device, watch.cancelled)
    problem = ""
    for _ in range(MOST_STEPS):
        try:
            turn = ask_once(conversation, holder, watch.cancelled, [prompt("chat"), *used], "chat")
        except (ProviderFailure, Refused) as failure:
            problem = failure.message
            break
        if not turn.stop.is_whole:
            problem = turn.problem
            break
        if not turn.calls:
            break
        for call in turn.calls[:MOST_CALLS]:
            if watch.cancelled():
                break
            call_once(place, call, conversation_id, holder)
        if watch.cancelled():
            problem = "Cancelled."
            break
    else:
        problem = f"It took {MOST_STEPS} steps, which is the limit of one turn. Say “go on” to go on."
    do_propose(conversation, holder, files, place.files)
    do_end_turn(conversation_id, holder, problem)


def ask_once(
    conversation: Conversation,
    holder: str,
    cancelled: Callable[[], bool],
    used: Sequence[Prompt],
    purpose: str,
    accounted: Callable[[ProviderCall], None] = lambda call: None,
) -> Turn:
    """One question to the model with the whole chat so far; what it answers is in the log.

    What may be sent is asked again each time: a task may have been marked, consent withdrawn, the account closed, the
    provider removed since. Raises ProviderFailure and Refused.
    """
    known = Conversation.objects.select_related("author__user", "task", "provider").filter(pk=conversation.pk).first()
    if known is None:
        raise NotHeld(f"conversation {conversation.pk} was removed")
    conversation = known
    if conversation.provider is None:
        raise ProviderFailure("no_provider", "The provider of this conversation was removed. Choose another one.")
    check_may_send(conversation.author, conversation.task, endpoint_of(conversation.provider, with_key=False).host)
    ask = Ask(chat_so_far(conversation, used[0]), tool_specs())
    calls: list[ProviderCall] = []
    deltas = _Deltas(conversation, holder)
    pieces = ask_provider(conversation.author, conversation.provider, ask, purpose, cancelled, calls.append)
    for piece in pieces:
        match piece:
            case Text():
                deltas.add(piece.text)
            case Waits():
                append(conversation.pk, [("waits", {"why": piece.why, "seconds": piece.seconds})], holder=holder)
            case Turn():
                turn = piece
    deltas.flush()
    for call in calls:
        accounted(call)
    events: list[Event] = [("usage", _usage_json(call)) for call in calls]
    if turn.text or turn.calls or turn.stop is not Stop.CANCELLED:
        events.insert(0, ("message", answer_message(turn, used)))
    if events:
        append(conversation.pk, events, holder=holder)
    return turn


def call_once(place: Workplace, call: ToolCall, conversation_id: str, holder: str) -> None:
    """Does what the model asks for; the result is in the log."""

    def doing(what: str) -> None:
        append(conversation_id, [("doing", {"tool": call.name, "what": what})], holder=holder)

    place.doing = doing
    result = call_tool(place, call)
    message = {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": result.text, "ok": result.ok}
    append(conversation_id, [("message", message)], holder=holder)


def _usage_json(call: ProviderCall) -> dict[str, object]:
    return {
        "input": call.input_tokens,
        "cached": call.cached_tokens,
        "output": call.output_tokens,
        "estimated": call.estimated,
        "cost": None if call.cost is None else str(call.cost),
        "currency": call.currency,
        "seconds": round(call.seconds, 2),
        "model": call.model,
    }


class _Deltas:
    """Text in pieces of a quarter of a second: a row for every token would be too many."""

    def __init__(self, conversation: Conversation, holder: str) -> None:
        self._id, self._holder = conversation.pk, holder
        self._texts: list[str] = []
        self._due = 0.0

    def add(self, text: str) -> None:
        self._texts.append(text)
        if time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        if self._texts:
            append(self._id, [("delta", {"text": "".join(self._texts)})], holder=self._holder)
            self._texts.clear()
            self._due = time.monotonic() + _DELTA_SECONDS


class Watch:
    """Looks whether the turn is still wanted, and says that its thread lives."""

    def __init__(self, conversation_id: str, holder: str) -> None:
        self._id, self._holder = conversation_id, holder
        self._lock = threading.Lock()
        self._look_at = self._beat_at = 0.0
        self._over = False

    def cancelled(self) -> bool:
        """Whether the turn is to end: somebody has said so, or it is held by another thread. Cheap to ask often."""
        now = time.monotonic()
        with self._lock:
            if self._over or now < self._look_at:
                return self._over
            self._look_at = now + _LOOK_SECONDS
            rows = Conversation.objects.filter(pk=self._id, holder=self._holder, state=Conversation.State.RUNNING)
            wanted = rows.filter(cancel_requested=False)
            if now >= self._beat_at:
                self._beat_at = now + BEAT_SECONDS
                self._over = wanted.update(beat_at=timezone.now()) != 1
            else:
                self._over = not wanted.exists()
            return self._over
