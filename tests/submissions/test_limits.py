import threading

import pytest
from django.db import connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.refused import Refused
from submissions import limits
from submissions.limits import Rate, forget, take
from submissions.models import RateCount

RATE = Rate("test", burst=3, seconds=10)


@pytest.fixture
def clock(monkeypatch):
    now = [1_000_000.0]
    monkeypatch.setattr(limits, "_now", lambda: now[0])
    return now


def refused(rate: Rate, who: object) -> int:
    with pytest.raises(Refused) as caught:
        take(rate, who)
    assert caught.value.status == 429
    return caught.value.extra["retry_after"]


def test_a_burst_and_then_one_every_few_seconds(db, clock):
    for _ in range(3):
        take(RATE, "ada")
    assert refused(RATE, "ada") == 10
    clock[0] += 4
    assert refused(RATE, "ada") == 6
    clock[0] += 6
    take(RATE, "ada")
    assert refused(RATE, "ada") == 10
    clock[0] += 30
    for _ in range(3):
        take(RATE, "ada")
    refused(RATE, "ada")


def test_others_and_other_rates_are_counted_apart(db, clock):
    for _ in range(3):
        take(RATE, "ada")
    take(RATE, "eve")
    take(Rate("else", 1, 10), "ada")
    refused(RATE, "ada")
    forget(RATE, "ada")
    take(RATE, "ada")


def test_who_has_been_quiet_is_forgotten(db, clock):
    take(RATE, "ada")
    clock[0] += 11
    take(RATE, "eve")
    assert RateCount.objects.count() == 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pauses=st.lists(st.floats(0, 30), max_size=25))
def test_never_more_than_burst_and_rate_allow(db, clock, pauses):
    RateCount.objects.all().delete()
    start, taken = clock[0], 0
    for pause in pauses:
        clock[0] += pause
        try:
            take(RATE, "ada")
            taken += 1
        except Refused as problem:
            assert 1 <= problem.extra["retry_after"] <= 10
    assert taken <= RATE.burst + (clock[0] - start) / RATE.seconds + 1e-6


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_counted_one_by_one(clock):
    through = []

    def ask() -> None:
        try:
            take(RATE, "ada")
            through.append(1)
        except Refused:
            pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(through) == 3


def test_drafts_and_runs_have_rates(client, task, clock, monkeypatch):
    monkeypatch.setattr(limits, "DRAFTS", Rate("draft", 2, 5))
    monkeypatch.setattr(limits, "RUNS", Rate("run", 2, 5))
    for method, path, body in (
        ("PUT", "/api/tasks/doubled-relu/draft", '{"files": {"A.py": ""}, "version": 0}'),
        ("POST", "/api/tasks/doubled-relu/runs", '{"files": {"A.py": ""}, "device": "cpu"}'),
    ):
        answers = [client.generic(method, path, body, content_type="application/json") for _ in range(3)]
        assert [answer.status_code < 300 for answer in answers] == [True, True, False]
        assert (answers[2].status_code, answers[2].headers["Retry-After"]) == (429, "5")
        assert answers[2].json()["code"] == "too_many_requests"
