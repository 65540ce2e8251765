"""Whose turn it is, by hand: device seconds of the last ten minutes decide within a lane."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.actions import claims, runs
from submissions.fairness import used_seconds
from submissions.models import Author, Lane, Lease, Run
from submissions.queue import next_run, place_in_queue, places_in_queue
from tests.accounts import account

FILES = {"A.py": "x = 1\n"}


@pytest.fixture
def ada(author) -> Author:
    return author


@pytest.fixture
def bob(db, quick_passwords) -> Author:
    return account("bob")


@pytest.fixture
def ask(task):
    def ask(author: Author, lane: Lane = Lane.INTERACTIVE) -> Run:
        return runs.do_request_run(author, task, FILES, "cpu", lane)

    return ask


def take(seconds: float) -> str:
    """The next run is judged for so long, and ended."""
    run_id = next_run("cpu")
    assert run_id is not None
    claim = claims.do_claim_run(run_id, "w")
    claims.do_finish_run(claim, {"verdict": "clean", "graphs": {}})
    begun = timezone.now() - timedelta(seconds=seconds)
    Lease.objects.filter(run=run_id).update(taken_at=begun, ended_at=begun + timedelta(seconds=seconds))
    return str(run_id)


def order(*runs: Run) -> list[int]:
    """The position of each."""
    places = places_in_queue(runs)
    assert {run.pk: place_in_queue(run) for run in runs} == places
    return [places[run.pk].position for run in runs]


def test_one_who_asks_for_much_waits_for_one_who_asks_for_little(ask, ada, bob):
    many = [ask(ada) for _ in range(4)]
    one = ask(bob)
    # Nobody has had anything: the oldest first. Then bob, who still had nothing.
    assert order(*many, one) == [1, 3, 4, 5, 2]
    assert take(30) == str(many[0].pk)
    assert next_run("cpu") == str(one.pk)
    assert order(*many[1:], one) == [2, 3, 4, 1]


def test_what_counts_is_time_on_the_device_not_the_number_of_runs(ask, ada, bob):
    ask(ada), take(60)
    for _ in range(3):
        ask(bob), take(5)
    ours, theirs = ask(ada), ask(bob)
    assert {key: round(value) for key, value in used_seconds("cpu").items()} == {ada.pk: 60, bob.pk: 15}
    assert order(ours, theirs) == [2, 1]


def test_what_was_used_ten_minutes_ago_is_forgotten(ask, ada, bob):
    ask(ada), take(500)
    Lease.objects.update(taken_at=timezone.now() - timedelta(minutes=11))
    ours, theirs = ask(ada), ask(bob)
    assert used_seconds("cpu") == {}
    assert order(ours, theirs) == [1, 2]


def test_a_person_and_their_models_share_one_part(ask, ada, bob, task):
    models = [Author.objects.create(name=f"m{n}", kind=Author.Kind.MODEL, brought_in_by=ada) for n in range(2)]
    first, second = (ask(model) for model in models)
    third = ask(bob)
    # first is ada's part; bob has had nothing, second is ada's again.
    assert order(first, second, third) == [1, 3, 2]
    take(40)  # what a model used that waits no more still counts for its person
    assert order(second, third) == [2, 1]


def test_lanes_go_before_shares(ask, ada, bob):
    ask(ada), take(300)
    batch, review, interactive = ask(bob, Lane.BACKGROUND), ask(bob, Lane.REVIEW), ask(ada)
    assert order(batch, review, interactive) == [3, 2, 1]


def test_the_wait_is_shared_by_the_workers_there_are(ask, ada, task):
    from submissions.actions.devices import do_report_device

    ask(ada)
    begun = timezone.now()
    Run.objects.update(state="done", started_at=begun, finished_at=begun + timedelta(seconds=8))
    for name in ("a", "b"):
        do_report_device("cpu", "ready", worker=f"cpu@{name}")
    queued = [ask(ada) for _ in range(4)]
    assert [place_in_queue(run).wait_seconds for run in queued] == [0.0, 4.0, 8.0, 12.0]


def test_ten_thousand_that_wait_are_asked_in_few_queries(ask, ada, bob, django_assert_max_num_queries):
    first = ask(ada, Lane.BACKGROUND)
    made = timezone.now()
    Run.objects.bulk_create(
        Run(
            revision=first.revision,
            task=first.task,
            author=(ada, bob)[n % 2],
            graphs=first.graphs,
            device="cpu",
            lane=Lane.BACKGROUND,
            state="queued",
            created_at=made + timedelta(milliseconds=n),
        )
        for n in range(2_000)
    )
    person = ask(bob)
    with django_assert_max_num_queries(5):
        assert next_run("cpu") == str(person.pk)
    with django_assert_max_num_queries(8):
        assert place_in_queue(person).position == 1
    last = Run.objects.filter(author=bob, lane=Lane.BACKGROUND).order_by("-created_at").first()
    with django_assert_max_num_queries(8):
        assert place_in_queue(last).position == 2002
