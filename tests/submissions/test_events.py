import contextlib
import threading

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator.verdicts import RunState
from submissions.actions import claims, runs
from submissions.events import StaleToken, append_events, read_events
from submissions.models import Run, RunEvent

FILES = {"A.py": "x = 1\n"}


@pytest.fixture
def run(author, task) -> Run:
    return runs.do_request_run(author, task, FILES, "cpu")


def numbers(run: Run) -> list[int]:
    return list(RunEvent.objects.filter(run=run).values_list("seq", flat=True))


def test_numbers_start_at_one_and_batches_keep_their_order(run):
    assert append_events(run.pk, [("log", {"text": "a"}), ("log", {"text": "b"})]) == 3
    assert [(event.seq, event.payload.get("text")) for event in read_events(run, 1, 10)] == [(2, "a"), (3, "b")]
    assert Run.objects.get(pk=run.pk).seq == 3


def test_reading_after_a_number_and_in_pages(run):
    append_events(run.pk, [("log", {"text": str(number)}) for number in range(10)])
    assert [event.seq for event in read_events(run, 4, 3)] == [5, 6, 7]
    assert [event.seq for event in read_events(run, 11, 3)] == []
    assert len(read_events(run, 0, 10_000)) == 11


def test_texts_that_databases_refuse_are_stored_in_a_safe_form(run):
    append_events(run.pk, [("log", {"text": "a\x00b\ud800c", "value": float("inf")})])
    assert read_events(run, 1, 1)[0].payload == {"text": "a�b�c", "value": "inf"}


def test_an_old_token_can_not_write(run):
    old = claims.do_claim_run(str(run.pk), "one")
    claims.do_lose_attempt(old, "The worker was lost.")
    new = claims.do_claim_run(str(run.pk), "two")
    before = numbers(run)
    with pytest.raises(StaleToken):
        claims.do_append_events(old, [("log", {"text": "late"})])
    with pytest.raises(StaleToken):
        claims.do_finish_run(old, {"graphs": {}, "verdict": "clean"})
    with pytest.raises(StaleToken):
        claims.do_start_run(old)
    assert numbers(run) == before
    assert claims.do_append_events(new, [("log", {"text": "in time"})]) == before[-1] + 1


def test_a_transaction_that_fails_leaves_no_gap(run):
    with pytest.raises(ValueError, match="after all"), transaction.atomic():
        append_events(run.pk, [("log", {})])
        raise ValueError("after all")
    append_events(run.pk, [("log", {})])
    assert numbers(run) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_many_writers_leave_no_gap_and_no_twin(run):
    failures = []

    def write(writer: int) -> None:
        try:
            for number in range(25):
                append_events(run.pk, [("log", {"writer": writer, "number": number})] * (1 + number % 3))
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[writer]) for writer in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    wanted = 1 + 6 * sum(1 + number % 3 for number in range(25))
    assert numbers(run) == list(range(1, wanted + 1))
    assert Run.objects.get(pk=run.pk).seq == wanted
    for writer in range(6):  # what one writer says stays in its order
        said = [event.payload["number"] for event in run.events.all() if event.payload.get("writer") == writer]
        assert said == sorted(said)


steps = st.lists(
    st.sampled_from(["claim", "start", "log", "finish", "lose", "release", "cancel", "note", "end_cancelled", "reap"]),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_the_log_leads_to_the_state_that_the_run_has(author, task, steps):
    """State and number read together, plus the events up to that number, agree at every moment."""
    Run.objects.all().delete()
    run = runs.do_request_run(author, task, FILES, "cpu")
    claim = None
    for step in steps:
        with contextlib.suppress(StaleToken):
            claim = _take(step, run, claim)
        row = Run.objects.get(pk=run.pk)
        events = list(row.events.all())
        assert [event.seq for event in events] == list(range(1, row.seq + 1))
        last_state = [event.payload["state"] for event in events if event.kind == "state"][-1]
        assert last_state == row.state
        assert (row.finished_at is not None) == RunState(row.state).is_final
        assert (row.result is not None) == (row.state == RunState.DONE)
        open_leases = row.leases.filter(ended_at=None).count()
        assert open_leases == (1 if row.state in (RunState.LEASED, RunState.RUNNING) else 0)


def _take(step, run, claim):
    if step == "claim":
        return claims.do_claim_run(str(run.pk), "worker") or claim
    if step == "cancel":
        runs.do_cancel_run(run)
    elif step == "note":
        runs.do_note(run, "The evaluator is warming up.")
    elif step == "reap":
        claims.do_reap_leases(run.created_at, worker="worker")
    elif claim is not None:
        {
            "start": lambda: claims.do_start_run(claim),
            "log": lambda: claims.do_append_events(claim, [("log", {"text": "x"})]),
            "finish": lambda: claims.do_finish_run(claim, {"verdict": "clean", "graphs": {}}),
            "lose": lambda: claims.do_lose_attempt(claim, "It fell over."),
            "release": lambda: claims.do_release_run(claim, "Stopping."),
            "end_cancelled": lambda: claims.do_end_cancelled(claim),
        }[step]()
    return claim
