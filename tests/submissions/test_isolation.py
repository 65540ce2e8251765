"""Running without isolation: asked for or refused, and said everywhere."""

import threading

import pytest
from small_daemon import SmallDaemon, wait_until

from evaluator.runner.client import DaemonClient
from submissions.actions import claims, runs
from submissions.actions.devices import do_report_device
from submissions.caretaker import report
from submissions.devices import is_isolated, without_isolation
from submissions.judging import device_status, judge_run
from submissions.models import Device, Run

BARE = "process group only"


@pytest.fixture
def daemon(tmp_path, settings):
    settings.RUNNER_SOCKETS = tmp_path
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    yield daemon
    daemon.close()


@pytest.mark.parametrize(
    ("level", "isolated"),
    [("namespaces", True), ("namespaces of a plain user", True), (BARE, False), ("", False), ("something new", False)],
)
def test_only_what_is_known_to_be_a_boundary_is_one(level, isolated):
    assert is_isolated(level) is isolated


def status(daemon: SmallDaemon) -> tuple[str, str]:
    said = device_status(DaemonClient(daemon.path))
    return said["status"], said.get("refusal", "")


@pytest.mark.parametrize("level", [BARE, "", "something new"])
def test_without_isolation_nothing_is_judged_unless_that_was_asked_for(daemon, settings, level):
    daemon.isolation = level
    assert status(daemon)[0] == "offline"
    assert "PASSNET_ALLOW_UNISOLATED=1" in status(daemon)[1]
    settings.MAY_JUDGE_UNISOLATED = True
    assert status(daemon) == ("ready", "")
    settings.MAY_JUDGE_UNISOLATED, settings.ONLY_THIS_MACHINE = False, False
    assert "never done where others can reach" in status(daemon)[1]


def test_a_daemon_that_refuses_by_itself_is_believed(daemon, settings):
    settings.MAY_JUDGE_UNISOLATED = True
    daemon.status, daemon.isolation, daemon.message = "refused", BARE, "Nothing is judged: because."
    assert status(daemon) == ("offline", "Nothing is judged: because.")


def test_the_device_and_the_waiting_run_say_why(client, daemon, author, task, transactional_db):
    daemon.isolation = BARE
    assert report("cpu", "worker") == "offline"
    (cpu,) = client.get("/api/devices").json()["devices"]
    assert (cpu["status"], cpu["isolation"], cpu["isolated"]) == ("offline", BARE, False)
    assert "would not be shut in" in cpu["message"]
    run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
    stopping = threading.Event()
    waiting = threading.Thread(
        target=judge_run, args=[str(run.pk), DaemonClient(daemon.path), "cpu@test", stopping], daemon=True
    )
    waiting.start()
    wait_until(lambda: "would not be shut in" in Run.objects.get(pk=run.pk).message)
    assert daemon.jobs == []
    daemon.isolation = "namespaces"
    wait_until(lambda: Run.objects.get(pk=run.pk).state == "done")
    waiting.join(20)
    shown = client.get(f"/api/runs/{run.pk}").json()
    assert shown["isolation"] == "namespaces"


def test_the_result_says_under_what_it_was_judged(client, author, task):
    run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
    assert client.get(f"/api/runs/{run.pk}").json()["isolation"] is None
    claims.do_start_run(claims.do_claim_run(str(run.pk), "w"), BARE)
    assert client.get(f"/api/runs/{run.pk}").json()["isolation"] == BARE


def test_every_page_warns(client, db):
    pages = ("/account/", "/account/password/", "/nowhere/")
    do_report_device("cpu", "ready", isolation="namespaces")
    do_report_device("gpu", "warming")  # it has not said yet
    assert without_isolation() == []
    assert not [path for path in pages if b"Without isolation" in client.get(path).content]
    Device.objects.filter(name="cpu").update(isolation=BARE)
    assert without_isolation() == ["cpu"]
    for path in pages:
        assert b"submissions on cpu run with the rights" in client.get(path).content
    client.logout()
    assert b"Without isolation" not in client.get("/login/").content
