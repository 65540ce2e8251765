"""Searches of the catalogue that an author has given a name."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from submissions import limits
from submissions.actions.searches import do_delete_search, do_save_search
from submissions.authors import current_author
from submissions.models import SavedSearch

router = Router(tags=["searches"])


class SearchIn(Schema):
    name: Annotated[str, Field(max_length=200)]
    address: Annotated[str, Field(max_length=4000)]  # the catalogue's, from the question mark on


class SearchOut(Schema):
    id: int
    name: str
    address: str


class SearchList(Schema):
    searches: list[SearchOut]


@router.get("/searches", response=SearchList, summary="The author's saved searches, by name")
def searches(request: HttpRequest) -> dict[str, Any]:
    mine = SavedSearch.objects.filter(author=current_author(request))
    return {"searches": list(mine.values("id", "name", "address"))}


@router.put("/searches", response=SearchList, summary="Keep a search under a name, or replace the one of that name")
def save(request: HttpRequest, body: SearchIn) -> dict[str, Any]:
    author = current_author(request)
    limits.take(limits.SEARCHES, author.pk)
    do_save_search(author, body.name, body.address)
    return searches(request)


@router.delete("/searches/{search_id}", response=SearchList, summary="Delete a saved search")
def delete(request: HttpRequest, search_id: Annotated[int, Field(ge=0, lt=2**63)]) -> dict[str, Any]:
    author = current_author(request)
    limits.take(limits.SEARCHES, author.pk)
    do_delete_search(author, search_id)
    return searches(request)
