"""A thousand evaluations that wait, and a real worker that is killed again and again: none is lost, none is judged for
nothing twice, and people go first all the while."""

import os
import time
from collections import Counter

import pytest
from django.db import connection as database
from live import Worker, environment
from small_daemon import SmallDaemon, graph_result, run_done, start, wait_until
from task_of_two import store_task

from assistant.actions.evaluations import Wanted, do_evaluate
from assistant.models import Evaluation
from assistant.reward import Kind, reward
from submissions.actions.runs import do_request_run
from submissions.models import Run

pytestmark = [pytest.mark.hostile, pytest.mark.django_db(transaction=True)]

COUNT = int(os.environ.get("HOSTILE_EVALUATIONS", "1000"))  # fewer for trying the test itself
KILLS = 3
SECONDS = 1200.0


def judge(connection, job):
    """As many graphs are correct as the file says."""
    names = start(connection, job)
    right = int(job["files"]["P.py"].strip().rpartition(" ")[2])
    words = ["correct" if at < right else "no_match" for at in range(len(names))]
    graphs = {name: graph_result(word, -6 if right else None) for name, word in zip(names, words, strict=True)}
    connection.say("run_done", **run_done(graphs))


def test_nothing_is_lost(private_redis, redis_socket, author, tmp_path):
    task = store_task()
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    daemon.judge = judge
    wanted = [
        Wanted(task, {"P.py": f"# {n}\nright = {n % 3}\n"}, "cpu", Kind.CORRECTNESS, f"key {n}") for n in range(COUNT)
    ]
    for first in range(0, COUNT, 200):
        do_evaluate(author, wanted[first : first + 200])
    env = environment(database.settings_dict, f"unix://{redis_socket}", tmp_path)
    worker = Worker(env, tmp_path / "worker.log")
    done = Run.objects.filter(state="done")
    try:
        for kill in range(1, KILLS + 1):
            wait_until(lambda part=COUNT * kill // (KILLS + 1): done.count() >= part, SECONDS)
            worker.kill()
            worker = Worker(env, tmp_path / "worker.log")
        person = do_request_run(author, task, {"P.py": "right = 2\n"}, "cpu")
        wait_until(lambda: done.filter(pk=person.pk).exists(), SECONDS)
        assert done.count() < COUNT  # it did not wait for all of them
        until = time.monotonic() + SECONDS
        while Run.objects.exclude(state="done").exists() and time.monotonic() < until:
            time.sleep(0.5)
    finally:
        worker.stop()
        daemon.close()
    assert Counter(Run.objects.values_list("state", flat=True)) == {"done": COUNT + 1}, worker.log.read_text()[-3000:]
    assert Run.objects.filter(losses__gt=0).count() <= KILLS
    rows = Evaluation.objects.select_related("run")
    found = {row.key: reward(row.run.result, row.run.verdict, Kind.CORRECTNESS).value for row in rows}
    assert found == {f"key {n}": (0.0, 0.5, 1.0)[n % 3] for n in range(COUNT)}
    again = do_evaluate(author, wanted[:200])
    assert [row.run.state for row in again] == ["done"] * min(200, COUNT)
