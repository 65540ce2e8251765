"""Workers of one class: drained, held for their versions, counted."""

from datetime import timedelta

import pytest
from django.utils import timezone
from small_daemon import VERSIONS, SmallDaemon, judge_well

from submissions import tasks
from submissions.actions import claims, runs
from submissions.actions.devices import do_adopt_versions, do_drain, do_report_device
from submissions.devices import device_states
from submissions.leases import LeaseWatch
from submissions.models import AuditEntry, Device, Lease, Run, Worker
from submissions.workers import takes_runs

OLD = {"python": "3.11", "torch": "2.12.0", "triton": "3.8", "harness": "1"}
NEW = {**OLD, "torch": "2.13.0"}
FILES = {"A.py": "x = 1\n"}


@pytest.fixture(autouse=True)
def _cpu_alone(settings) -> None:
    settings.WORKER_DEVICES = "cpu"


@pytest.fixture
def run(author, task) -> Run:
    return runs.do_request_run(author, task, FILES, "cpu")


def say(name: str, versions: dict[str, str], status: str = "ready") -> None:
    do_report_device("cpu", status, versions=versions, worker=name)


def gone(name: str) -> None:
    Worker.objects.filter(pk=name).update(seen_at=timezone.now() - timedelta(minutes=5))


def test_a_drained_worker_takes_no_run_and_keeps_the_one_it_has(run, author, task):
    say("a", OLD)
    claim = claims.do_claim_run(str(run.pk), "a")
    do_drain(author, Worker.objects.get(), True)
    assert device_states()[0].status == "offline" and "drained" in device_states()[0].message
    other = runs.do_request_run(author, task, FILES, "cpu")
    assert claims.do_claim_run(str(other.pk), "a") is None
    claims.do_finish_run(claim, {"verdict": "clean", "graphs": {}})
    do_drain(author, Worker.objects.get(), False)
    assert claims.do_claim_run(str(other.pk), "a") is not None
    assert list(AuditEntry.objects.values_list("action", flat=True)[:2]) == ["worker_resumed", "worker_drained"]


def test_other_versions_beside_those_of_the_class_are_held(db, author):
    say("a", OLD)
    say("b", NEW)
    assert takes_runs("a") and not takes_runs("b")
    assert "torch 2.13.0" in Worker.objects.get(pk="b").held and "torch 2.12.0" in Worker.objects.get(pk="b").held
    assert (device_states()[0].status, Device.objects.get().versions) == ("ready", OLD)
    do_adopt_versions(author, Worker.objects.get(pk="b"))
    assert takes_runs("b") and not takes_runs("a")
    assert AuditEntry.objects.first().details["before"]["torch"] == "2.12.0"


def test_on_one_machine_an_upgrade_takes_over_when_the_old_worker_is_gone(db):
    say("a", OLD)
    say("b", NEW)
    gone("a")
    say("b", NEW, "busy")
    assert takes_runs("b") and Device.objects.get().pinned["torch"] == "2.13.0"
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.details["now"]["torch"]) == ("versions_changed", None, "2.13.0")


def test_in_a_cluster_an_admin_decides(db, settings, author):
    settings.IS_CLUSTER = True
    say("a", OLD)
    gone("a")
    say("b", NEW)
    assert not takes_runs("b") and device_states()[0].status == "offline"
    assert "/operations/" in device_states()[0].message


def test_another_python_is_no_other_version(db):
    say("a", OLD)
    say("b", {**OLD, "python": "3.12"})
    assert takes_runs("b")


def test_a_class_is_as_its_best_worker(db, run):
    say("a", OLD)
    do_report_device("cpu", "offline", "does not answer", worker="b")
    assert device_states()[0].status == "ready"
    say("b", OLD)
    claims.do_claim_run(str(run.pk), "a")
    assert device_states()[0].status == "ready"  # b has nothing to do
    gone("b")
    assert device_states()[0].status == "busy"


def test_a_result_is_written_once(run):
    claim = claims.do_claim_run(str(run.pk), "a")
    result = {"verdict": "clean", "graphs": {"f32": {"status": "correct", "first_t": -6}}}
    claims.do_finish_run(claim, result)
    for again in (lambda: claims.do_finish_run(claim, {**result, "verdict": "violation"}),) * 2:
        with pytest.raises(claims.StaleToken):
            again()
    assert Run.objects.get().result == result


def test_a_device_whose_canary_fails_leaves_the_second_try_to_another_worker(run, tmp_path, settings, monkeypatch):
    settings.RUNNER_SOCKETS = tmp_path
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    daemon.judge = lambda connection, job: connection.say(
        "error", message="The device is taken out: it computes wrong."
    )
    sent = []
    monkeypatch.setattr(tasks, "send_run", lambda run_id, device: sent.append(run_id))
    monkeypatch.setattr(tasks, "HAND_ON_SECONDS", 0.0)
    for name in ("bad", "good"):
        say(name, VERSIONS)

    def message(worker: str) -> None:
        tasks.run_submission.push_request(hostname=worker)
        tasks.run_submission.run(str(run.pk))
        tasks.run_submission.pop_request()

    message("bad")
    lost = Run.objects.get()
    assert (lost.state, lost.losses) == ("queued", 1) and "it computes wrong" in lost.message
    message("bad")  # it hands the message on
    assert sent == [str(run.pk)] and Run.objects.get().losses == 1
    daemon.judge = judge_well
    message("good")
    assert Run.objects.get().state == "done"
    daemon.close()


def test_a_lease_is_given_up_when_it_stays_the_same_whatever_clocks_say(run):
    claims.do_claim_run(str(run.pk), "a")
    watch, lease = LeaseWatch(), Lease.objects.get()
    hour = timedelta(hours=1)
    now = timezone.now()
    # The clock jumps an hour ahead: the lease has run out by it, but its worker renews it.
    assert watch.silent(now + hour, 100.0) == []
    Lease.objects.update(expires_at=now + timedelta(seconds=31))
    assert watch.silent(now + hour, 105.0) == []
    assert watch.silent(now + hour, 114.0) == []
    assert watch.silent(now + hour, 115.0) == [lease.pk]  # two renewals did not come
    # The clock jumps an hour back: by it the lease would last an hour more.
    watch = LeaseWatch()
    assert watch.silent(now - hour, 200.0) == []
    assert watch.silent(now - hour, 229.0) == []
    assert watch.silent(now - hour, 230.0) == [lease.pk]


def test_a_worker_that_spoke_meanwhile_keeps_its_run(run):
    claims.do_claim_run(str(run.pk), "a")
    assert claims.do_reap_leases(timezone.now(), silent=[]) == []
    assert claims.do_reap_leases(timezone.now(), silent=[Lease.objects.get().pk]) == [str(run.pk)]
