"""Whose submissions a reader may open from a comparison of authors."""

from submissions.access import may_read_work
from submissions.boards.board import Row
from submissions.models import Author


def may_read_rows(reader: Author, first: Row, second: Row) -> tuple[bool, bool]:
    """For each of two rows of a board; of a baseline there is nothing to open."""
    ids = [row.entrant.author for row in (first, second)]
    authors = {one.pk: one for one in Author.objects.filter(pk__in=[one for one in ids if one is not None])}
    one, other = (key in authors and may_read_work(reader, authors[key]) for key in ids)
    return one, other
