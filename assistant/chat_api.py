"""JSON API of conversations: begin one, say something, follow its log by number, cancel, take or leave its edits."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from assistant.access import access_conversation, access_proposal, access_provider
from assistant.actions.attempts import do_steer, do_wish
from assistant.actions.conversations import LOST_AFTER, do_accept, do_begin, do_cancel, do_end_lost, do_reject, do_say
from assistant.actions.marks import do_consent, do_mark_task
from assistant.chat.log import MAX_PAGE, read
from assistant.chat.messages import View
from assistant.chat.turn import new_holder, start_turn
from assistant.endpoints import endpoint_of
from assistant.hunks import hunks_of
from assistant.models import Attempt, Conversation, Proposal, TaskMark
from assistant.sending import check_may_send, has_agreed, never_send
from graphs.access import access_task
from graphs.refused import Refused
from submissions import limits
from submissions.access import is_reviewer, require_scope
from submissions.authors import current_author
from submissions.devices import device_names
from submissions.files import check_files, check_texts
from submissions.models import Author
from submissions.safe_json import safe_text
from submissions.tokens import Scope

router = Router(tags=["assistant"])

SAID = limits.Rate("message to a model", 30, 2)
MARKED = limits.Rate("task marked", 30, 2)
_LISTED = 50


class Begin(Schema):
    provider: int


class ConversationOut(Schema):
    id: UUID
    task: str
    provider: int | None
    title: str
    state: str
    seq: int
    changed_at: datetime


class ConversationList(Schema):
    conversations: list[ConversationOut]
    never_send: bool  # nothing of this task goes to a model
    own_never_send: bool  # by the author's own mark, which the author can remove


class InView(Schema):
    file: Annotated[str, Field(max_length=300)] = ""
    graph: Annotated[str, Field(max_length=300)] = ""
    nodes: Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=500)] = []
    run: Annotated[str, Field(max_length=60)] = ""
    selection: Annotated[str, Field(max_length=20_000)] = ""


class Say(Schema):
    text: Annotated[str, Field(max_length=60_000)] = ""
    command: Annotated[str, Field(max_length=40)] = ""
    files: dict[str, str]  # as they are in the page now
    device: str = "cpu"
    view: InView = InView()


class Said(Schema):
    seq: int
    state: str


class EventOut(Schema):
    seq: int
    kind: str
    payload: dict[str, Any]
    at: datetime


class EventPage(Schema):
    events: list[EventOut]
    last: int
    state: str


class HunkOut(Schema):
    number: int
    first: int  # line of the old text, from 0
    last: int  # not included
    old: list[str]
    new: list[str]
    decision: str | None


class ProposalOut(Schema):
    id: int
    name: str
    problem: str  # why it can not be accepted
    is_new: bool
    is_removed: bool
    hunks: list[HunkOut]


class Choice(Schema):
    hunks: list[int]
    current: str | None = None  # the file's text as it is now; null: there is no such file
    own: dict[int, Annotated[str, Field(max_length=1_000_000)]] = {}  # by hunk: a text in the place of what it puts in
    marks: bool = False  # where the file has changed meanwhile: both texts, between marks, instead of 409


class Accepted(Schema):
    text: str | None  # what the file is to be; null: it is to be removed
    syntax: list[str]  # what does not parse in it


class Marks(Schema):
    never_send: bool | None = None  # null: as it is
    held_out: bool | None = None
    site: bool = False  # for everybody; reviewers and admins only


class MarksOut(Schema):
    never_send: bool
    held_out: bool
    site: bool


class Agreement(Schema):
    host: Annotated[str, Field(min_length=1, max_length=255)]
    agrees: bool


class AgreementOut(Schema):
    host: str
    agrees: bool


class SumOut(Schema):
    input_tokens: int
    output_tokens: int
    estimated: bool
    cost: Decimal | None  # null: of some answer the price is not known
    currency: str


@router.get("/assistant/tasks/{slug}/conversations", response=ConversationList, summary="The author's, newest first")
def list_conversations(request: HttpRequest, slug: str) -> dict[str, Any]:
    author, task = current_author(request), access_task(slug)
    rows = Conversation.objects.filter(author=author, task=task).select_related("task")[:_LISTED]
    own = TaskMark.objects.filter(author=author, task=task, never_send=True).exists()
    shown = [_shown(row) for row in rows]
    return {"conversations": shown, "never_send": never_send(author, task), "own_never_send": own}


@router.post("/assistant/tasks/{slug}/conversations", response={201: ConversationOut}, summary="Begin a conversation")
def begin(request: HttpRequest, slug: str, body: Begin) -> Status[dict[str, Any]]:
    author, task = current_author(request), access_task(slug)
    limits.take(SAID, author.pk)
    provider = access_provider(author, body.provider)
    check_may_send(author, task, endpoint_of(provider, with_key=False).host)
    return Status(201, _shown(do_begin(author, task, provider)))


@router.get("/assistant/conversations/{conversation_id}", response=ConversationOut, summary="One conversation")
def conversation(request: HttpRequest, conversation_id: str) -> dict[str, Any]:
    return _shown(_living(current_author(request), conversation_id))


@router.delete("/assistant/conversations/{conversation_id}", response={204: None}, summary="Remove a conversation")
def remove(request: HttpRequest, conversation_id: str) -> Status[None]:
    """With all that was said in it, and the attempt that it belongs to. A turn that is going on ends by itself."""
    access_conversation(current_author(request), conversation_id).delete()
    return Status(204, None)


@router.post("/assistant/conversations/{conversation_id}/messages", response={202: Said}, summary="Say something")
def say(request: HttpRequest, conversation_id: str, body: Say) -> Status[dict[str, Any]]:
    """The answer comes into the log. What the assistant makes of the files is proposed there, never written."""
    author = current_author(request)
    limits.take(SAID, author.pk)
    found = _living(author, conversation_id)
    attempt = _attempt_of(found)
    if attempt is not None:  # a word to a model at work
        do_steer(attempt, safe_text(body.text))
        found.refresh_from_db()
        return Status(202, {"seq": found.seq, "state": found.state})
    if found.provider is None:
        raise Refused(409, "no_provider", "The provider of this conversation was removed. Begin another one.")
    check_may_send(author, found.task, endpoint_of(found.provider, with_key=False).host)
    check_files(body.files, may_be_empty=True)
    check_texts(body.files)
    if body.device not in device_names():
        raise Refused(400, "unknown_device", f"There is no device class {body.device[:60]!r} here.")
    in_view = {name: safe_text(value) for name, value in body.view.dict(exclude={"nodes"}).items()}
    view = View(**in_view, nodes=[safe_text(node) for node in body.view.nodes], files=body.files)
    used = do_say(found, new_holder(), safe_text(body.text), body.command, view)
    start_turn(found, body.files, body.device, used)
    return Status(202, {"seq": found.seq, "state": found.state})


@router.get("/assistant/conversations/{conversation_id}/events", response=EventPage, summary="The log after number n")
def events(
    request: HttpRequest,
    conversation_id: str,
    after: Annotated[int, Field(ge=0)] = 0,
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 200,
) -> dict[str, Any]:
    found = _living(current_author(request), conversation_id)
    rows = read(found, after, limit)
    shown = [{"seq": row.seq, "kind": row.kind, "payload": row.payload, "at": row.at} for row in rows]
    return {"events": shown, "last": found.seq, "state": found.state}


@router.post(
    "/assistant/conversations/{conversation_id}/cancel", response=Said, summary="End the turn that is going on"
)
def cancel(request: HttpRequest, conversation_id: str) -> dict[str, Any]:
    found = access_conversation(current_author(request), conversation_id)
    attempt = _attempt_of(found)
    if attempt is None:
        do_cancel(found)
    else:  # its loop would ask the model again
        do_wish(attempt, Attempt.Wish.STOP)
    found.refresh_from_db()
    return {"seq": found.seq, "state": found.state}


@router.get("/assistant/conversations/{conversation_id}/usage", response=SumOut, summary="Tokens and cost so far")
def usage(request: HttpRequest, conversation_id: str) -> dict[str, Any]:
    found = access_conversation(current_author(request), conversation_id)
    rows = list(found.events.filter(kind="usage").values_list("payload", flat=True))
    costs = [row["cost"] for row in rows]
    return {
        "input_tokens": sum(row["input"] for row in rows),
        "output_tokens": sum(row["output"] for row in rows),
        "estimated": any(row["estimated"] for row in rows),
        "cost": None if None in costs else sum((Decimal(cost) for cost in costs), Decimal(0)),
        "currency": rows[-1]["currency"] if rows else "",
    }


@router.get("/assistant/proposals/{proposal_id}", response=ProposalOut, summary="A proposed edit, hunk by hunk")
def proposal(request: HttpRequest, proposal_id: int) -> dict[str, Any]:
    return _proposal(access_proposal(current_author(request), proposal_id))


@router.post("/assistant/proposals/{proposal_id}/accept", response=Accepted, summary="Put hunks into the file as it is")
def accept(request: HttpRequest, proposal_id: int, body: Choice) -> dict[str, Any]:
    """Nothing is saved here: the page puts the text into its editor. 409 where the file has changed meanwhile."""
    found = access_proposal(current_author(request), proposal_id)
    if body.current is not None:
        check_files({found.name: body.current})
        check_texts({found.name: body.current})
    own = {number: safe_text(text) for number, text in body.own.items()}
    text, syntax = do_accept(found, set(body.hunks), body.current, own, marks=body.marks)
    return {"text": text, "syntax": syntax}


@router.post("/assistant/proposals/{proposal_id}/reject", response=ProposalOut, summary="Leave hunks out")
def reject(request: HttpRequest, proposal_id: int, body: Choice) -> dict[str, Any]:
    found = access_proposal(current_author(request), proposal_id)
    do_reject(found, set(body.hunks))
    return _proposal(found)


@router.put("/assistant/tasks/{slug}/marks", response=MarksOut, summary="Say what may be sent and shown of a task")
def mark(request: HttpRequest, slug: str, body: Marks) -> dict[str, Any]:
    author, task = current_author(request), access_task(slug)
    limits.take(MARKED, author.pk)
    if body.site or body.held_out:
        require_scope(request, Scope.ADMIN)
        if not body.site:
            raise Refused(400, "held_out_is_for_all", "A task is held out for everybody: set the site's mark.")
        if not is_reviewer(author):
            raise Refused(403, "not_a_reviewer", "Only reviewers and admins mark a task for everybody.")
    made = do_mark_task(author, task, None if body.site else author, never_send=body.never_send, held_out=body.held_out)
    return {"never_send": made.never_send, "held_out": made.held_out, "site": body.site}


@router.get("/assistant/consent", response=AgreementOut, summary="Whether work may be sent to a host")
def consent(request: HttpRequest, host: str) -> dict[str, Any]:
    return {"host": host[:255], "agrees": has_agreed(current_author(request), host)}


@router.put("/assistant/consent", response=AgreementOut, summary="Agree that work is sent to a host, or take that back")
def set_consent(request: HttpRequest, body: Agreement) -> dict[str, Any]:
    author = current_author(request)
    limits.take(MARKED, author.pk)
    do_consent(author, safe_text(body.host), body.agrees)
    return {"host": body.host, "agrees": body.agrees}


def _living(author: Author, conversation_id: str) -> Conversation:
    """A conversation; a turn that was lost is ended first."""
    found = access_conversation(author, conversation_id)
    if _attempt_of(found) is None and do_end_lost(found, LOST_AFTER):
        found = access_conversation(author, conversation_id)
    return found


def _attempt_of(conversation: Conversation) -> Attempt | None:
    """The attempt that goes on in a conversation; None where a person talks."""
    return Attempt.objects.filter(conversation=conversation).exclude(state=Attempt.State.ENDED).first()


def _shown(row: Conversation) -> dict[str, Any]:
    return {
        "id": row.pk,
        "task": row.task.slug,
        "provider": row.provider_id,
        "title": row.title,
        "state": row.state,
        "seq": row.seq,
        "changed_at": row.changed_at,
    }


def _proposal(found: Proposal) -> dict[str, Any]:
    hunks = hunks_of(str(found.before or ""), str(found.after or ""))
    return {
        "id": found.pk,
        "name": found.name,
        "problem": found.problem,
        "is_new": found.before is None,
        "is_removed": found.after is None,
        "hunks": [
            {
                "number": hunk.number,
                "first": hunk.first,
                "last": hunk.last,
                "old": list(hunk.old),
                "new": list(hunk.new),
                "decision": found.decisions.get(str(hunk.number)),
            }
            for hunk in hunks
        ],
    }
