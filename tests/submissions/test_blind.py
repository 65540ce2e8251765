"""Submissions judged without their names: what a page may not tell, the vote, ratings worked out by hand."""

import csv
import io
import math
import re
import uuid

import pytest
from django.test import Client

from submissions.actions.blind_votes import do_show_pair, do_vote
from submissions.actions.run_folders import Described, do_get_author
from submissions.comparing.blind import HIDDEN, hide
from submissions.models import AuditEntry, Author, BlindPair, BlindVote, Run, Submission
from submissions.statistics import bradley_terry
from tests.accounts import account
from tests.submissions.test_boards import graph, run, store_task

pytestmark = pytest.mark.django_db

CODE = "# written by Claude-Opus-4.6, an Opus model\ndef pattern(opus):\n    return opus\n"


def logged_in(name: str) -> tuple[Client, Author]:
    person = account(name)
    client = Client()
    client.force_login(person.user)
    return client, person


def handed_in(author: Author, name: str, text: str, **more: object) -> Submission:
    files = {"Fuse.py": text}
    return Submission.objects.create(author=author, task_name=name, hash=f"{author.pk}{text}", files=files, **more)


@pytest.fixture
def pair(db) -> tuple[Run, Submission]:
    """A run of one model and an imported submission of another, on one task, both measured on an H200."""
    task = store_task("one", 3)
    opus, other = (do_get_author(name, Described("v-77"), None) for name in ("Claude-Opus-4.6", "Zephyr"))
    first = run(opus, task, graph(speed=2.345))
    first.revision.files = {"Fuse.py": CODE}
    first.revision.save()
    second = run(other, task, graph(speed=0.512))
    submission = handed_in(other, "one", "zephyr = 1\n", task=task, revision=second.revision, path="zephyr/one")
    return first, submission


def next_pair(client: Client) -> tuple[str, str]:
    answer = client.post("/compare/blind/next/")
    assert answer.status_code == 302, answer.content
    return answer["Location"], client.get(answer["Location"]).content.decode()


def test_a_pair_tells_nothing_of_whose_it_is_until_the_vote(pair):
    client, voter = logged_in("voter")
    address, page = next_pair(client)
    first, submission = pair
    row = BlindVote.objects.get()
    telling = ["Claude", "Zephyr", "zephyr", "v-77", str(first.pk), f's{submission.pk}"', "/boards/submissions/"]
    telling += [str(first.revision.hash)[:12], "?run=", "?of=", "2.345", "0.512", "/tasks/one/"]
    assert [word for word in telling if word in page] == []
    assert HIDDEN in page and "faster than eager" in page and "slower than eager" in page
    assert str(row.secret) in address and "def pattern(opus)" in page  # a name in code alone tells nothing
    found = client.get("/api/openapi.json").json()["paths"]
    assert [path for path in found if "blind" in path] == []  # no other way to a pair's row

    left_first = page.index("faster than eager") < page.index("slower than eager")
    assert left_first is not row.swapped  # the run's key comes before that of a submission
    answer = client.post(f"{address}vote/", {"choice": "left", "reason": ["fast", "readable"]})
    page = client.get(answer["Location"]).content.decode()
    assert "Claude-Opus-4.6" in page and "Zephyr" in page and "/compare/?of=" in page
    row.refresh_from_db()
    assert (row.choice, row.reasons, row.voter) == ("left", ["readable", "fast"], voter)
    entry = AuditEntry.objects.get(action="blind_vote")
    assert entry.actor == voter and entry.details["choice"] == "left"


def test_a_vote_is_one_and_stands(pair):
    client, voter = logged_in("voter")
    address, _ = next_pair(client)
    assert client.post(f"{address}vote/", {"choice": "middle"}).status_code == 400
    assert client.post(f"{address}vote/", {"choice": "left", "reason": ["pretty"]}).status_code == 400
    assert client.post(f"{address}vote/", {"choice": "both_bad"}).status_code == 302
    assert client.post(f"{address}vote/", {"choice": "left"}).status_code == 409
    assert BlindVote.objects.get().choice == "both_bad"
    assert client.post("/compare/blind/next/").status_code == 404  # nothing is left for them
    other, _ = logged_in("other")
    assert (
        other.get(address).status_code == 404 and other.post(f"{address}vote/", {"choice": "left"}).status_code == 404
    )
    assert other.get(f"/compare/blind/{uuid.uuid4()}/").status_code == 404
    assert Client(enforce_csrf_checks=True).post("/compare/blind/next/").status_code in (302, 403)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(voter.user)
    assert strict.post(f"{address}vote/", {"choice": "left"}).status_code == 403
    assert strict.post("/compare/blind/next/").status_code == 403


def test_a_pair_left_without_a_vote_comes_back_with_the_same_sides(pair):
    client, _ = logged_in("voter")
    address, _ = next_pair(client)
    swapped = BlindVote.objects.get().swapped
    assert next_pair(client)[0] == address and BlindVote.objects.get().swapped is swapped


def test_own_work_the_same_files_and_violations_are_never_shown(db):
    _, voter = logged_in("voter")
    task = store_task("one", 3)
    a, b = (do_get_author(name, Described(), None) for name in ("a", "b"))
    run(voter, task, graph(speed=2.0))
    run(a, task, graph(speed=2.0), verdict="violation")
    for author in (a, b):
        handed_in(author, "same", "x = 1\n", path="p")
        Submission.objects.filter(author=author).update(hash="the same")
    run(b, task, graph(speed=2.0))
    run(account("somebody"), task, graph(speed=2.0))  # whose runs are their own
    for _ in range(2):
        with pytest.raises(Exception, match="no pair left"):
            do_show_pair(voter)
    assert not BlindPair.objects.exists()


def test_sides_are_drawn_for_each_voter(pair):
    drawn = {do_show_pair(Author.objects.create(name=f"voter{at}")).swapped for at in range(24)}
    assert drawn == {True, False} and BlindPair.objects.count() == 1


def test_ratings_and_agreement_by_hand(pair):
    """Three people: two for Opus, one for Zephyr, whichever side that was; with half a win each way before them."""
    first, _ = pair
    opus = first.author
    for at, favourite in enumerate((opus, opus, None)):
        voter = Author.objects.create(name=f"voter{at}")
        shown = do_show_pair(voter)
        opus_is_first = shown.pair.first_author == opus
        opus_left = opus_is_first is not shown.swapped
        choice = "left" if (favourite == opus) == opus_left else "right"
        do_vote(voter, shown.secret, choice, ["general"] if favourite else [])
    reader, _ = logged_in("reader")
    found = reader.get("/api/compare/ratings").json()
    assert (found["votes"], found["voters"], found["sided"]) == (3, 3, 3)
    assert [one["author"] for one in found["authors"]] == ["Claude-Opus-4.6", "Zephyr"]
    best, other = found["authors"]
    gap = best["rating"] - other["rating"]
    assert gap == pytest.approx(400 * math.log10(2.5 / 1.5)) and best["rating"] + other["rating"] == pytest.approx(2000)
    expected = bradley_terry({("o", "z"): 2.0, ("z", "o"): 1.0}, 0.5)["o"]
    assert best["low"] == pytest.approx(1000 + expected.low * 400 / math.log(10))
    assert (best["won"], best["lost"], best["general"], other["won"], other["general"]) == (2, 1, 2, 1, 0)
    assert found["agreement"]["pairs_judged_twice"] == 1
    assert found["agreement"]["share"]["value"] == pytest.approx(1 / 3)
    lines = list(csv.DictReader(io.StringIO(reader.get("/api/compare/ratings/figures").content.decode())))
    assert lines[0]["author"] == "Claude-Opus-4.6" and lines[0]["won"] == "2"
    page = reader.get("/compare/blind/").content.decode()
    assert "Krippendorff" in page and re.search(r"The left side won \d of 3", page)
    assert Client().get("/api/compare/ratings").status_code == 401


def test_nothing_to_rate_yet(db):
    reader, _ = logged_in("reader")
    assert "Nobody has voted yet" in reader.get("/compare/blind/").content.decode()
    assert reader.get("/api/compare/ratings").json()["authors"] == []


def test_names_are_hidden_however_they_are_written():
    authors = [Author(name="Claude-Opus-4.6"), Author(name="me")]
    assert hide("claude_opus 4.6 x", authors) == f"{HIDDEN} x"
    assert hide("some time for me", authors) == f"some time for {HIDDEN}"
    assert hide("opus = 1  # by opus", authors) == f"opus = 1  # by {HIDDEN}"
    assert hide("x", [Author(name="--")]) == "x"
