"""Reading providers, conversations and edits with permission. Somebody else's is answered like one that is none."""

import uuid

from django.conf import settings
from django.db.models import Q, QuerySet

from assistant.models import Attempt, Batch, Conversation, Proposal, Provider
from assistant.providers.endpoint import Endpoint
from graphs.refused import Refused
from submissions.access import is_admin
from submissions.models import Author


def providers_of(author: Author) -> QuerySet[Provider]:
    """The site's providers and the author's own."""
    return Provider.objects.filter(Q(owner=None) | Q(owner=author))


def access_provider(author: Author, provider_id: int) -> Provider:
    """A provider that this author may ask."""
    found = providers_of(author).filter(pk=provider_id).first()
    if found is None:
        raise Refused(404, "unknown_provider", "There is no such provider. The list of providers has all there are.")
    return found


def access_provider_to_change(author: Author, provider_id: int) -> Provider:
    """A provider that this author may change: an own one, or for an admin one of the site's."""
    found = access_provider(author, provider_id)
    if found.owner_id is None and not is_admin(author):
        raise Refused(
            403, "not_an_admin", "This provider is the site's. Only an admin changes it. Add one of your own."
        )
    return found


def address_refusal(author: Author, endpoint: Endpoint) -> str | None:
    """Why this author may not have the server ask that host; None when they may.

    The server reaches hosts that its users do not. On one person's machine, or for an admin, any host will do. Behind
    a proxy it listens on this machine only, and yet has other people's users.
    """
    alone = settings.ONLY_THIS_MACHINE and not settings.PROXIES
    if alone or is_admin(author) or endpoint.host in settings.ASSISTANT_HOSTS:
        return None
    known = ", ".join(settings.ASSISTANT_HOSTS)
    return (
        f"The server does not ask {endpoint.host} for its users. It asks: {known}. An admin can allow more "
        "(ASSISTANT_HOSTS), or add it for everybody."
    )


def access_conversation(author: Author, conversation_id: str | uuid.UUID) -> Conversation:
    """One of the author's conversations, with task and provider. Nobody else sees it."""
    try:
        wanted = conversation_id if isinstance(conversation_id, uuid.UUID) else uuid.UUID(conversation_id)
    except ValueError:
        wanted = None
    rows = Conversation.objects.select_related("task", "provider", "author").filter(author=author)
    found = rows.filter(pk=wanted).first() if wanted else None
    if found is None:
        raise Refused(
            404, "unknown_conversation", "There is no such conversation. The task's list has the ones there are."
        )
    return found


def access_proposal(author: Author, proposal_id: int) -> Proposal:
    """An edit that was proposed in one of the author's conversations."""
    found = Proposal.objects.filter(pk=proposal_id, conversation__author=author).first()
    if found is None:
        raise Refused(404, "unknown_proposal", "There is no such edit. The conversation lists all that were proposed.")
    return found


def access_attempt(author: Author, attempt_id: str | uuid.UUID) -> Attempt:
    """One of the author's attempts, with its conversation and task."""
    try:
        wanted = attempt_id if isinstance(attempt_id, uuid.UUID) else uuid.UUID(attempt_id)
    except ValueError:
        wanted = None
    rows = Attempt.objects.select_related("conversation__task").filter(conversation__author=author)
    found = rows.filter(pk=wanted).first() if wanted else None
    if found is None:
        raise Refused(404, "unknown_attempt", "There is no such attempt. The task's list has all there are.")
    return found


def access_batch(author: Author, batch_id: str | uuid.UUID) -> Batch:
    """One of the author's batches."""
    try:
        wanted = batch_id if isinstance(batch_id, uuid.UUID) else uuid.UUID(batch_id)
    except ValueError:
        wanted = None
    found = Batch.objects.filter(author=author, pk=wanted).first() if wanted else None
    if found is None:
        raise Refused(404, "unknown_batch", "There is no such batch of yours. /batches/ lists all there are.")
    return found
