"""Comments on items: whoever may see one may say something about it, and name people, lines and graphs."""

import re

from django.db import transaction
from django.utils import timezone

from graphs.refused import Refused
from submissions.access import is_admin, may_read_work
from submissions.audit import note
from submissions.models import Author, ReviewComment, ReviewItem
from submissions.safe_json import safe_text

_MENTION = re.compile(r"(?<![\w@.])@([a-z0-9][a-z0-9_.-]{0,39})")
_MOST_TEXT = 10_000


@transaction.atomic
def do_comment(author: Author, item: ReviewItem, text: str) -> ReviewComment:
    """Stores a comment; people whom it names find it, where they may see the item. Raises Refused for no text."""
    text = safe_text(text.strip())
    if not 1 <= len(text) <= _MOST_TEXT:
        raise Refused(400, "no_text", f"A comment has 1 to {_MOST_TEXT:,} characters. Write something.")
    comment = ReviewComment.objects.create(item=item, author=author, text=text)
    names = {name.rstrip(".") for name in _MENTION.findall(text)}
    named = Author.objects.select_related("user").filter(name__in=names, user__is_active=True)
    comment.mentions.set([one for one in named if may_read_work(one, item.author)])
    note(author, "review_comment", f"review item {item.pk}", comment=comment.pk)
    return comment


@transaction.atomic
def do_withdraw_comment(author: Author, item: ReviewItem, comment_id: int) -> ReviewComment:
    """Takes a comment of one's own back; that there was one stays visible. Raises Refused."""
    comment = item.comments.filter(pk=comment_id, withdrawn_at=None).first()
    if comment is None:
        raise Refused(404, "unknown_comment", "There is no such comment here, or it was taken back already.")
    if comment.author_id != author.pk and not is_admin(author):
        raise Refused(403, "not_yours", "Somebody else said this. Only they and admins take it back.")
    comment.withdrawn_at = timezone.now()
    comment.save(update_fields=["withdrawn_at"])
    note(author, "review_comment_withdrawn", f"review item {item.pk}", comment=comment.pk)
    return comment
