"""Searches that are kept under a name: each author's own, replaced, deleted, and refused with a reason."""

import pytest

from graphs.refused import Refused
from submissions.actions.searches import MOST_SEARCHES, do_save_search
from submissions.models import SavedSearch
from tests.accounts import account

pytestmark = pytest.mark.django_db


def listed(answer) -> list[tuple[str, str]]:
    assert answer.status_code == 200, answer.content
    return [(one["name"], one["address"]) for one in answer.json()["searches"]]


def put(client, name: str, address: str):
    body = {"name": name, "address": address}
    return client.put("/api/searches", body, content_type="application/json")


def test_a_search_is_kept_replaced_and_deleted(client, author):
    assert listed(put(client, "  big \n norms ", "?q=norm&size=25–99")) == [("big norms", "?q=norm&size=25–99")]
    put(client, "a", "?q=a")
    assert listed(put(client, "big norms", "?q=rms")) == [("a", "?q=a"), ("big norms", "?q=rms")]
    theirs = do_save_search(account("eve"), "hers", "?q=x")
    assert listed(client.get("/api/searches")) == [("a", "?q=a"), ("big norms", "?q=rms")]

    assert len(listed(client.delete(f"/api/searches/{theirs.pk}"))) == 2
    assert SavedSearch.objects.filter(pk=theirs.pk).exists(), "another's search is nothing one could delete"
    mine = client.get("/api/searches").json()["searches"][0]["id"]
    assert listed(client.delete(f"/api/searches/{mine}")) == [("big norms", "?q=rms")]
    assert listed(client.delete(f"/api/searches/{mine}")) == [("big norms", "?q=rms")]


@pytest.mark.parametrize(
    ("name", "address", "status"),
    [
        ("  ", "?q=a", 400),
        ("a", "", 400),
        ("a", "https://elsewhere.example/", 400),
        ("a", "?q=a\r\nb", 400),
        ("a", "?" + "q" * 1000, 400),
        ("a" * 201, "?q=a", 422),
    ],
)
def test_what_is_no_search_is_refused(client, name, address, status):
    answer = put(client, name, address)
    assert answer.status_code == status and answer.json()["error"]
    assert not SavedSearch.objects.exists()


def test_an_author_keeps_so_many_and_may_still_replace(author):
    for index in range(MOST_SEARCHES):
        do_save_search(author, f"s{index}", "?q=a")
    with pytest.raises(Refused, match="Delete one first"):
        do_save_search(author, "one more", "?q=a")
    assert do_save_search(author, "s0", "?q=b").address == "?q=b"
