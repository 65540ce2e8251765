from datetime import timedelta

import pytest
from django.utils import timezone

from graphs.refused import Refused
from submissions.actions import claims, runs
from submissions.models import Lease, Revision, Run
from submissions.queue import place_in_queue, places_in_queue

FILES = {"A.py": "x = 1\n"}

RESULT = {
    "verdict": "clean",
    "graphs": {
        "f32": {"status": "correct", "first_t": -6, "matches": 1},
        "f16": {"status": "accuracy", "first_t": -3, "matches": 1},
    },
}


@pytest.fixture
def run(author, task) -> Run:
    return runs.do_request_run(author, task, FILES, "cpu")


def states(run: Run) -> list[str]:
    return [event.payload["state"] for event in run.events.filter(kind="state")]


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def test_from_queued_to_done(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    claims.do_start_run(claim)
    claims.do_append_events(claim, [("run_done", RESULT)])
    claims.do_finish_run(claim, RESULT)
    done = fresh(run)
    assert states(run) == ["queued", "leased", "running", "done"]
    assert (done.correct, done.total, done.first_t, done.verdict) == (1, 2, -3, "clean")
    assert done.result == RESULT
    assert done.started_at <= done.finished_at
    assert Lease.objects.get(run=run).outcome == "done"


def test_first_t_is_unknown_when_a_graph_is_never_right(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    never = {**RESULT, "graphs": {**RESULT["graphs"], "f64": {"status": "no_match", "first_t": None}}}
    claims.do_finish_run(claim, never)
    assert (fresh(run).correct, fresh(run).total, fresh(run).first_t) == (1, 3, None)


def test_a_run_is_claimed_once(run):
    assert claims.do_claim_run(str(run.pk), "one") is not None
    assert claims.do_claim_run(str(run.pk), "two") is None


def test_the_same_files_are_the_same_revision(author, task):
    first = runs.do_request_run(author, task, FILES, "cpu").revision
    again = runs.do_request_run(author, task, dict(FILES), "cpu").revision
    other = runs.do_request_run(author, task, {"A.py": "x = 2\n"}, "cpu").revision
    back = runs.do_request_run(author, task, FILES, "cpu").revision
    assert first == again
    assert [first.number, other.number, back.number] == [1, 2, 3]
    assert first.hash == back.hash != other.hash
    assert Revision.objects.count() == 3


def test_a_run_keeps_the_graphs_that_its_task_had(run, task):
    names = [name for name, _ in run.graphs]
    assert names == ["f32", "f16"]
    assert dict(run.graphs)["f32"] == task.entries.get(name="f32").graph.identity


def test_an_unknown_device_is_refused_with_the_ones_there_are(author, task, settings):
    settings.WORKER_DEVICES = "cpu,cuda:H200"
    with pytest.raises(Refused, match="cpu, cuda:H200"):
        runs.do_request_run(author, task, FILES, "tpu")


def test_too_many_open_runs_are_refused(author, task, settings):
    settings.MAX_ACTIVE_RUNS = 2
    first = runs.do_request_run(author, task, FILES, "cpu")
    runs.do_request_run(author, task, FILES, "cpu")
    with pytest.raises(Refused, match="2 runs"):
        runs.do_request_run(author, task, FILES, "cpu")
    runs.do_cancel_run(first)
    runs.do_request_run(author, task, FILES, "cpu")


def test_places_in_the_queue(author, task):
    one, two, three = (runs.do_request_run(author, task, FILES, "cpu") for _ in range(3))
    assert [place_in_queue(run).position for run in (one, two, three)] == [1, 2, 3]
    claims.do_claim_run(str(one.pk), "worker")
    assert place_in_queue(fresh(one)).position is None
    assert (place_in_queue(two).position, place_in_queue(two).ahead) == (1, 1)
    assert (place_in_queue(three).position, place_in_queue(three).ahead) == (2, 2)
    assert place_in_queue(three).wait_seconds is None, "no run of this device has ended yet"
    begun = timezone.now()
    for seconds in (4, 30, 6):  # the median is 6
        times = {"started_at": begun, "finished_at": begun + timedelta(seconds=seconds)}
        Run.objects.filter(pk=runs.do_request_run(author, task, FILES, "cpu").pk).update(state="done", **times)
    assert (place_in_queue(three).wait_seconds, place_in_queue(two).wait_seconds) == (12.0, 6.0)
    waiting = [fresh(run) for run in (one, two, three)]
    assert places_in_queue(waiting) == {run.pk: place_in_queue(run) for run in waiting[1:]}


def test_cancelling_a_queued_run_ends_it_at_once(run):
    assert runs.do_cancel_run(run) == "cancelled"
    assert states(run) == ["queued", "cancelled"]
    assert claims.do_claim_run(str(run.pk), "worker") is None


def test_cancelling_a_held_run_marks_it_for_its_worker(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    assert runs.do_cancel_run(run) == "leased"
    assert fresh(run).cancel_requested
    claims.do_append_events(claim, [("log", {"text": "so far"})])
    claims.do_end_cancelled(claim)
    assert states(run)[-1] == "cancelled"
    assert run.events.filter(kind="log").count() == 1  # what was measured stays


def test_cancelling_a_finished_run_changes_nothing(run):
    claims.do_finish_run(claims.do_claim_run(str(run.pk), "worker"), RESULT)
    assert runs.do_cancel_run(run) == "done"
    assert not fresh(run).cancel_requested


def test_a_cancelled_run_does_not_go_back_to_the_queue(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    runs.do_cancel_run(run)
    claims.do_release_run(claim, "The worker is being stopped.")
    assert fresh(run).state == "cancelled"


def test_a_lost_run_is_tried_once_more_and_then_given_up(run):
    claims.do_lose_attempt(claims.do_claim_run(str(run.pk), "one"), "The daemon was lost.")
    assert fresh(run).state == "queued"
    claims.do_lose_attempt(claims.do_claim_run(str(run.pk), "two"), "The daemon was lost.")
    ended = fresh(run)
    assert ended.state == "infrastructure_error"
    assert "does not count against the submission" in ended.message
    assert states(run) == ["queued", "leased", "queued", "leased", "infrastructure_error"]


def test_a_run_whose_lease_ran_out_is_taken_back(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    now = timezone.now()
    assert claims.do_reap_leases(now) == []
    assert claims.do_reap_leases(now + claims.LEASE + timedelta(seconds=1)) == [str(run.pk)]
    assert fresh(run).state == "queued"
    assert claims.do_extend_lease(claim) is False


def test_a_worker_that_lives_keeps_its_run(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    Lease.objects.filter(run=run).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert claims.do_extend_lease(claim) is True
    assert claims.do_reap_leases(timezone.now()) == []


def test_a_restarted_worker_takes_back_what_it_held(author, task):
    mine, other = (runs.do_request_run(author, task, FILES, "cpu") for _ in range(2))
    claims.do_claim_run(str(mine.pk), "cpu@here")
    claims.do_claim_run(str(other.pk), "cpu@there")
    assert claims.do_reap_leases(timezone.now(), worker="cpu@here") == [str(mine.pk)]
    assert fresh(other).state == "leased"


def test_a_cancelled_run_that_is_lost_ends_cancelled(run):
    claim = claims.do_claim_run(str(run.pk), "worker")
    runs.do_cancel_run(run)
    claims.do_lose_attempt(claim, "The daemon was lost.")
    assert fresh(run).state == "cancelled"


def test_a_waiting_run_is_told_each_reason_once(run):
    for message in ("warming up", "warming up", "busy", "busy"):
        runs.do_note(run, message)
    said = [event.payload["message"] for event in run.events.filter(kind="state")]
    assert said == ["", "warming up", "busy"]
    assert fresh(run).message == "busy"
