"""What a run prints beyond its log is kept, bounded, and can be had as one text."""

import threading
import zlib

import pytest
from small_daemon import SmallDaemon, graph_result, run_done, start

from evaluator.runner.client import DaemonClient
from submissions.actions import outputs
from submissions.actions.claims import do_claim_run, do_lose_attempt, do_start_run
from submissions.actions.outputs import do_keep_output
from submissions.actions.runs import do_request_run
from submissions.events import StaleToken
from submissions.judging import judge_run
from submissions.models import Run, RunOutput
from submissions.printed import NOT_KEPT, printed

pytestmark = pytest.mark.django_db(transaction=True)
FILES = {"A.py": "x = 1\n"}


def text_of(run: Run) -> str:
    return "".join(printed(Run.objects.get(pk=run.pk)))


def flood(connection, job) -> None:
    assert job["limits"]["kept_bytes"] == 16 << 20
    names = start(connection, job)
    connection.say("log", stream="stdout", text="begin")
    connection.say("log", stream="stderr", text="… the rest is elsewhere\n", truncated=True)
    connection.say("output", text="ning")
    connection.say("output", text=" and end")
    connection.say("run_done", **run_done({name: graph_result() for name in names}))


def test_what_is_not_shown_is_kept_beside_the_log(author, task, tmp_path, client):
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    daemon.judge = flood
    run = do_request_run(author, task, FILES, "cpu")
    judge_run(str(run.pk), DaemonClient(daemon.path), "cpu@test", threading.Event())
    daemon.close()
    assert not run.events.filter(kind="output").exists()
    assert zlib.decompress(bytes(run.outputs.first().text)) == b"ning"
    client.force_login(author.user)
    answer = client.get(f"/api/runs/{run.pk}/output.txt")
    assert b"".join(answer.streaming_content) == b"beginning and end"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="run-{run.pk}-output.txt"'
    run.outputs.all().delete()
    assert text_of(run) == f"begin{NOT_KEPT}"


def test_an_attempt_keeps_its_own_output_and_a_lost_one_writes_nothing(author, task):
    run = do_request_run(author, task, FILES, "cpu")
    first = do_claim_run(str(run.pk), "one")
    do_start_run(first)
    do_keep_output(first, "of the first")
    do_lose_attempt(first, "It was gone.")
    with pytest.raises(StaleToken):
        do_keep_output(first, "too late")
    second = do_claim_run(str(run.pk), "two")
    do_start_run(second)
    assert text_of(run) == ""
    do_keep_output(second, "of the second")
    assert text_of(run) == "of the second" and RunOutput.objects.count() == 1


def test_the_newest_runs_of_an_author_keep_theirs(author, task, monkeypatch):
    monkeypatch.setattr(outputs, "KEPT_RUNS", 2)
    runs = [do_request_run(author, task, {"A.py": f"x = {number}\n"}, "cpu") for number in range(3)]
    for run in runs:
        claim = do_claim_run(str(run.pk), "worker")
        do_start_run(claim)
        do_keep_output(claim, "a" * 10)
        do_keep_output(claim, "b")
    assert [text_of(run) for run in runs] == ["", "a" * 10 + "b", "a" * 10 + "b"]
