"""What somebody has typed about an item and not sent: kept here, too, so that another browser finds it."""

from collections.abc import Mapping

from django.utils import timezone

from graphs.refused import Refused
from submissions.models import Author, ReviewDraft, ReviewItem
from submissions.safe_json import safe_text

FIELDS = ("reason", "note", "comment")
_MOST = 20_000  # characters of each


def do_save_draft(author: Author, item: ReviewItem, fields: Mapping[str, str]) -> None:
    """Stores the fields that hold something; none at all takes the draft away. Raises Refused."""
    kept = {name: safe_text(fields[name]) for name in FIELDS if fields.get(name)}
    if any(len(text) > _MOST for text in kept.values()):
        raise Refused(413, "too_long", f"A text of a draft has {_MOST:,} characters at most. Shorten it.")
    own = ReviewDraft.objects.filter(item=item, author=author)
    if kept:
        own.update_or_create(item=item, author=author, defaults={"fields": kept, "saved_at": timezone.now()})
    else:
        own.delete()
