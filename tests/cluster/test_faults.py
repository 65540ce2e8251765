"""Each process of the cluster is killed in the middle of its work: nothing is lost, nothing doubled, and it is said."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from websockets.sync.client import connect

from tests.cluster.servers import wait_until
from tests.cluster.site import ENDLESS, ROOT, Person, Site, numbered, patiently, states

pytestmark = pytest.mark.usefixtures("whole")

LEASE_SECONDS = 30


def holder(site: Site, run: str) -> str:
    """The machine that holds a run."""
    asked = f"SELECT worker FROM submissions_lease WHERE run_id = '{run}' AND ended_at IS NULL"
    return patiently(lambda: query(site, asked), 30, f"a lease of {run}").partition("@")[2]


def query(site: Site, sql: str) -> str:
    return site.postgres.run("psql", "-d", "passnet", "-Atc", sql).strip()


def losses(site: Site, run: str) -> int:
    return int(query(site, f"SELECT losses FROM submissions_run WHERE id = '{run}'"))


def cancel(person: Person, run: str) -> None:
    person.call("POST", f"/api/runs/{run}/cancel")
    person.wait_for(run, "cancelled", "done", seconds=30)  # on a busy machine its time limit may come first


def test_three_workers_judge_and_either_web_server_tells(site: Site, person: Person):
    runs = [person.ask(which=number % 2) for number in range(3)]
    for number, run in enumerate(runs):
        row = person.wait_for(run, "done", which=(number + 1) % 2, seconds=180)
        assert (row["verdict"], row["correct"], row["total"]) == ("clean", 4, 4)
        assert numbered(person.events(run))
    assert query(site, "SELECT count(*) FROM submissions_lease WHERE outcome = 'done'") == "3"


def test_a_worker_killed_in_mid_run(site: Site, person: Person):
    run = person.ask(ENDLESS)
    person.wait_for(run, "running")
    name = holder(site, run)
    site.workers[name].kill()
    killed = time.monotonic()
    patiently(lambda: losses(site, run) == 1, LEASE_SECONDS + 15, "the loss being seen")
    assert time.monotonic() - killed < LEASE_SECONDS + 10
    person.wait_for(run, "running")
    assert holder(site, run) != name  # judged once more, elsewhere
    events = person.events(run)
    assert numbered(events) and states(events) == ["queued", "leased", "running", "queued", "leased", "running"]
    assert any("stopped answering" in str(event["payload"].get("message")) for event in events)
    cancel(person, run)


def test_a_daemon_killed_in_mid_run(site: Site, person: Person):
    run = person.ask(ENDLESS)
    person.wait_for(run, "running")
    first = holder(site, run)
    site.daemons[first].kill()
    patiently(lambda: losses(site, run) == 1, 30, "the loss being seen")
    person.wait_for(run, "running")
    second = holder(site, run)
    assert second != first
    site.daemons[second].kill()  # lost twice: given up, and it does not count against the author
    row = person.wait_for(run, "infrastructure_error", seconds=60)
    assert "does not count against the submission" in row["message"] and row["verdict"] is None
    assert numbered(person.events(run))


def test_a_web_server_killed_in_mid_stream(site: Site, person: Person):
    run = person.ask(ENDLESS)
    session = person.sessions[0]
    cookie = {"Cookie": f"sessionid={session.cookies['sessionid']}"}
    seen = 0
    with connect(f"ws://127.0.0.1:{site.ports[0]}/ws/runs/{run}", origin=site.url(0), additional_headers=cookie) as one:
        seen = json.loads(one.recv(timeout=20))["seq"]
        person.wait_for(run, "running", which=1)
        site.webs[0].kill()
        with pytest.raises(Exception):  # noqa: B017 (closed, reset or at its end: the browser comes back anyway)
            while True:
                one.recv(timeout=10)
    rest = person.events(run, after=seen, which=1)  # the other one, from the number that was seen
    assert [event["seq"] for event in rest] == list(range(seen + 1, seen + 1 + len(rest)))
    assert person.row(run, which=1)["state"] == "running"
    site.webs[0].start()
    site.wait_for_web(0)
    cancel(person, run)


def test_redis_is_restarted_and_emptied(site: Site, person: Person):
    running = person.ask(ENDLESS)
    person.wait_for(running, "running")
    site.redis.end(signal.SIGKILL)
    queued = person.ask()  # nobody can be woken now: it waits
    time.sleep(1)
    site.redis.start()  # what was in it is gone
    row = person.wait_for(queued, "done", seconds=120)
    assert row["verdict"] == "clean" and losses(site, queued) == 0
    another = person.ask()
    site.redis.ask("FLUSHALL")
    assert person.wait_for(another, "done", seconds=120)["verdict"] == "clean"
    assert person.row(running)["state"] in ("running", "done") and losses(site, running) == 0  # it has a time limit
    cancel(person, running)


def test_postgres_is_restarted(site: Site, person: Person):
    run = person.ask(ENDLESS)
    person.wait_for(run, "running")
    before = person.events(run)
    site.postgres.end(signal.SIGQUIT)  # every connection is cut, without a word
    time.sleep(2)
    site.postgres.start()
    patiently(lambda: person.row(run), 60, "an answer")
    patiently(lambda: person.row(run)["state"] == "running", LEASE_SECONDS + 30, "the run going on")
    after = person.events(run)
    assert numbered(after) and after[: len(before)] == before
    assert losses(site, run) <= 1
    cancel(person, run)
    assert person.wait_for(person.ask(), "done", seconds=120)["verdict"] == "clean"


def test_a_cut_socket_and_a_slow_client_keep_nobody_waiting(site: Site, person: Person):
    run = person.ask()
    cookie = {"Cookie": f"sessionid={person.sessions[0].cookies['sessionid']}"}
    url = f"ws://127.0.0.1:{site.ports[0]}/ws/runs/{run}"
    cut = connect(url, origin=site.url(0), additional_headers=cookie)
    cut.recv(timeout=20)
    cut.socket.shutdown(socket.SHUT_RDWR)  # the network goes, without a word
    slow = socket.create_connection(("127.0.0.1", site.ports[0]))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    slow.sendall(b"GET /api/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\n")  # and never says more, nor reads
    started = time.monotonic()
    person.row(run)
    assert time.monotonic() - started < 5
    person.wait_for(run, "done")
    assert numbered(person.events(run))
    slow.close()


def test_a_message_delivered_many_times_is_one_run(site: Site, person: Person):
    run = person.ask(ENDLESS)
    code = (
        "import passnet_web.celery, django; django.setup();"
        "from submissions.dispatch import send_run;"
        f"[send_run({run!r}, 'cpu') for _ in range(20)]"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=site.env, check=True)
    person.wait_for(run, "running")
    wait_until(lambda: site.redis.ask("LLEN", "device.cpu") == "0", 30, "the messages being taken")
    assert query(site, f"SELECT count(*) FROM submissions_lease WHERE run_id = '{run}'") == "1"
    cancel(person, run)


def test_a_drained_worker_ends_its_run_and_takes_no_other(site: Site, person: Person):
    run = person.ask(ENDLESS)
    person.wait_for(run, "running")
    name = holder(site, run)
    site.manage("drain", f"cpu@{name}")
    others = [person.ask() for _ in range(3)]
    for other in others:
        person.wait_for(other, "done", seconds=180)
    workers = query(site, f"SELECT count(*) FROM submissions_lease WHERE worker = 'cpu@{name}' AND ended_at IS NULL")
    assert workers == "1" and person.row(run)["state"] == "running"
    asked = ", ".join(f"'{other}'" for other in others)
    assert (
        query(site, f"SELECT count(*) FROM submissions_lease WHERE worker = 'cpu@{name}' AND run_id IN ({asked})")
        == "0"
    )
    cancel(person, run)
    site.manage("drain", f"cpu@{name}", "--resume")
    patiently(lambda: query(site, "SELECT count(*) FROM submissions_worker WHERE draining") == "0", 10, "the end of it")


def test_a_stopped_worker_gives_its_run_back(site: Site, person: Person):
    run = person.ask(ENDLESS)
    person.wait_for(run, "running")
    name = holder(site, run)
    site.workers[name].stop()
    patiently(lambda: holder(site, run) != name, 60, "another worker having it")
    assert losses(site, run) == 0
    cancel(person, run)


def test_the_disk_of_a_machine_is_full(site: Site, person: Person):
    """Every machine's: folders of runs lie on a disk of a few pages."""
    if os.geteuid() != 0:
        pytest.fail("A small disk has to be mounted for this test: run it as root.")
    small = site.folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=12", "tmpfs", str(small)], check=True)
    try:
        for name in list(site.daemons):
            site.workers[name].stop()
            site.daemons[name].end()
            site.start_daemon(name, TMPDIR=str(small))
            site.start_worker(name)
        (small / "ballast").write_bytes(b"x" * 65536)
        run = person.ask()
        row = person.wait_for(run, "infrastructure_error", seconds=240)
        assert "No space left" in row["message"] or "disk" in row["message"].lower(), row["message"]
        assert row["verdict"] is None and numbered(person.events(run))
    finally:
        for name in list(site.daemons):
            site.workers[name].stop()
            site.daemons[name].end()
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_readiness_and_logs_with_run_ids(site: Site, person: Person):
    run = person.ask()
    person.wait_for(run, "done")
    assert json.loads(person.sessions[1].get("/readyz"))["status"] == "ready"
    lines = [line for name in site.workers for line in (site.folder / f"worker-{name}.log").read_text().splitlines()]
    assert any(run in line and json.loads(line)["run"] == run for line in lines if line.startswith("{"))
