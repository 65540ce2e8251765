"""Keeping a search of the catalogue under a name, and letting it go."""

from django.db import transaction

from graphs.refused import Refused
from submissions.models import Author, SavedSearch
from submissions.safe_json import safe_text

MOST_SEARCHES = 100  # of one author
LONGEST_NAME = 60
LONGEST_ADDRESS = 1000


@transaction.atomic
def do_save_search(author: Author, name: str, address: str) -> SavedSearch:
    """Keeps `address` (from the question mark on) under a name; one of that name is replaced. Raises Refused."""
    name = safe_text(" ".join(name.split()))[:LONGEST_NAME]
    if not name:
        raise Refused(400, "bad_search", "Give the search a name that says what it finds.")
    if not address.startswith("?") or len(address) > LONGEST_ADDRESS or not address.isprintable():
        message = f"A search is the catalogue's address from ? on, {LONGEST_ADDRESS} characters at most. Choose less."
        raise Refused(400, "bad_search", message)
    others = SavedSearch.objects.filter(author=author).exclude(name=name)
    if others.count() >= MOST_SEARCHES:
        raise Refused(429, "too_many_searches", f"There are {MOST_SEARCHES} saved searches already. Delete one first.")
    saved, _ = SavedSearch.objects.update_or_create(author=author, name=name, defaults={"address": address})
    return saved


def do_delete_search(author: Author, search_id: int) -> None:
    """Deletes one of the author's searches; one that is gone already is no fault."""
    SavedSearch.objects.filter(author=author, pk=search_id).delete()
