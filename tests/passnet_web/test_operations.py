"""The operations page and metrics: who may see them, what they say, what their buttons do."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from submissions.actions import claims, runs
from submissions.actions.accounts import Role
from submissions.actions.devices import do_report_device
from submissions.models import AuditEntry, Author, Lease, Run, Tally, Worker
from submissions.tallies import add, count_ended, count_lost, key_of
from tests.accounts import account
from tests.submissions.conftest import task  # noqa: F401  (a fixture)

FILES = {"A.py": "x = 1\n"}
VERSIONS = {"torch": "2.13.0", "triton": "3.9.0", "harness": "1"}


@pytest.fixture(autouse=True)
def _cpu_alone(settings, private_redis) -> None:
    settings.WORKER_DEVICES = "cpu"


@pytest.fixture
def admin(db, quick_passwords) -> Author:
    return account("root", Role.ADMIN)


@pytest.fixture
def at_desk(admin) -> Client:
    client = Client()
    client.force_login(admin.user)
    return client


@pytest.fixture
def run(author, task) -> Run:  # noqa: F811
    return runs.do_request_run(author, task, FILES, "cpu")


def test_only_admins_see_the_page_and_press_its_buttons(at_desk, client, run, db):
    do_report_device("cpu", "ready", versions=VERSIONS, worker="cpu@a")
    assert Client().get("/operations/").status_code == 302
    assert client.get("/operations/").status_code == 404
    for path in ("workers/drain/", f"runs/{run.pk}/requeue/"):
        assert client.post(f"/operations/{path}", {"worker": "cpu@a"}).status_code == 404
        assert Client(enforce_csrf_checks=True).post(f"/operations/{path}").status_code in (302, 403)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = at_desk.cookies
    assert strict.post("/operations/workers/drain/", {"worker": "cpu@a"}).status_code == 403
    assert Worker.objects.get().draining is False
    assert at_desk.get("/operations/workers/drain/").status_code == 405
    assert at_desk.get("/operations/").status_code == 200


def test_a_worker_is_drained_resumed_and_forgotten_in_one_click(at_desk, admin):
    do_report_device("cpu", "ready", versions=VERSIONS, worker="cpu@a")

    def press(action: str) -> str:
        at_desk.post(f"/operations/workers/{action}/", {"worker": "cpu@a"})
        return at_desk.get("/operations/").content.decode()

    assert "draining" in press("drain") and "Resume" in press("drain")
    assert "draining</span>" not in press("resume")
    do_report_device("cpu", "ready", versions={**VERSIONS, "torch": "2.14.0"}, worker="cpu@b")
    page = at_desk.get("/operations/").content.decode()
    assert "held: other versions" in page and "Use these versions" in page
    at_desk.post("/operations/workers/adopt/", {"worker": "cpu@b"})
    assert [bool(one.held) for one in Worker.objects.order_by("name")] == [True, False]
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    assert "gone" in at_desk.get("/operations/").content.decode()
    press("forget")
    assert list(Worker.objects.values_list("name", flat=True)) == ["cpu@b"]
    actions = list(AuditEntry.objects.filter(actor=admin).order_by("id").values_list("action", flat=True))
    assert actions[-4:] == ["worker_drained", "worker_resumed", "versions_changed", "worker_forgotten"]
    assert at_desk.post("/operations/workers/drain/", {"worker": "nobody"}).status_code == 404
    assert at_desk.post("/operations/workers/explode/", {"worker": "cpu@b"}).status_code == 404


def test_a_run_is_taken_back_from_its_worker_without_a_loss(at_desk, run):
    claim = claims.do_claim_run(str(run.pk), "cpu@a")
    claims.do_start_run(claim)
    at_desk.post(f"/operations/runs/{run.pk}/requeue/")
    row = Run.objects.get()
    assert (row.state, row.losses, Lease.objects.get().outcome) == ("queued", 0, "requeued")
    with pytest.raises(claims.StaleToken):
        claims.do_finish_run(claim, {"verdict": "clean", "graphs": {}})
    again = claims.do_claim_run(str(run.pk), "cpu@b")
    claims.do_finish_run(again, {"verdict": "clean", "graphs": {}})
    at_desk.post(f"/operations/runs/{run.pk}/requeue/")
    assert Run.objects.get().state == "done"


def test_stuck_runs_are_named_with_the_reason(at_desk, run, author, task):  # noqa: F811
    assert "No worker of its device class takes runs." in at_desk.get("/operations/").content.decode()
    do_report_device("cpu", "ready", versions=VERSIONS, worker="cpu@a")
    assert "None: every run that waits" in at_desk.get("/operations/").content.decode()
    Run.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert "more than an hour" in at_desk.get("/operations/").content.decode()
    claims.do_claim_run(str(run.pk), "cpu@a")
    Lease.objects.update(expires_at=timezone.now() - timedelta(minutes=5))
    assert "has run out" in at_desk.get("/operations/").content.decode()
    Lease.objects.update(ended_at=timezone.now())
    assert "there is no lease" in at_desk.get("/operations/").content.decode()


def metrics(client: Client, **headers: str) -> list[str]:
    answer = client.get("/metrics", **headers)
    assert answer.status_code == 200
    return answer.content.decode().splitlines()


def test_metrics_count_what_waits_runs_and_ended(at_desk, run, author, task):  # noqa: F811
    do_report_device("cpu", "ready", versions=VERSIONS, worker="cpu@a")
    other = runs.do_request_run(author, task, FILES, "cpu")
    said = metrics(at_desk)
    assert 'passnet_runs_queued{device="cpu",lane="interactive"} 2' in said
    assert 'passnet_workers{device="cpu",status="ready",takes="yes"} 1' in said
    assert 'passnet_device_up{device="cpu",status="ready"} 1' in said
    claim = claims.do_claim_run(str(run.pk), "cpu@a")
    claims.do_start_run(claim)
    claims.do_finish_run(
        claim,
        {"verdict": "clean", "graphs": {"a": {"status": "correct"}, "b": {"status": "runtime", "reason": "timeout"}}},
    )
    begun = timezone.now() - timedelta(seconds=60)
    Run.objects.filter(pk=run.pk).update(
        created_at=begun, started_at=begun + timedelta(seconds=7), finished_at=begun + timedelta(seconds=9)
    )
    Lease.objects.update(taken_at=begun + timedelta(seconds=5))
    Tally.objects.all().delete()
    count_ended(str(run.pk))
    count_lost(str(other.pk))
    said = metrics(at_desk)
    assert 'passnet_runs_ended_total{device="cpu",state="done",verdict="clean"} 1' in said
    assert 'passnet_graphs_total{device="cpu",reason="timeout",status="runtime"} 1' in said
    assert 'passnet_attempts_lost_total{device="cpu"} 1' in said
    assert 'passnet_stage_seconds_bucket{device="cpu",stage="queue",le="3"} 0' in said
    assert 'passnet_stage_seconds_bucket{device="cpu",stage="queue",le="10"} 1' in said
    assert 'passnet_stage_seconds_bucket{device="cpu",stage="queue",le="+Inf"} 1' in said
    assert 'passnet_stage_seconds_sum{device="cpu",stage="start"} 2' in said


def test_counting_twice_adds_up(db):
    for _ in range(3):
        add(key_of("stage_seconds", device='odd"\n', stage="queue", le="1"), 1, 0.5)
    row = Tally.objects.get()
    assert (row.count, row.seconds) == (3, 1.5)


def test_who_may_read_metrics(client, settings, db):
    anybody = Client()
    assert anybody.get("/metrics").status_code == 200  # this machine, which is all of it
    settings.ONLY_THIS_MACHINE = False
    assert anybody.get("/metrics").status_code == 404
    assert client.get("/metrics").status_code == 404  # an author
    settings.METRICS_TOKEN = "secret-of-prometheus"
    assert anybody.get("/metrics", HTTP_AUTHORIZATION="Bearer secret-of-prometheus").status_code == 200
    for wrong in ("Bearer no", "Basic secret-of-prometheus", "Bearer "):
        assert anybody.get("/metrics", HTTP_AUTHORIZATION=wrong).status_code == 404
