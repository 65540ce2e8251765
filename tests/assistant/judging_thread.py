"""Judges whatever is queued, in a thread, through a small daemon on a socket of its own."""

import threading
from contextlib import contextmanager

from django.db import connection
from small_daemon import SmallDaemon

from evaluator.runner.client import DaemonClient
from submissions.judging import judge_run
from submissions.models import Run


@contextmanager
def judging(socket, judge):
    daemon = SmallDaemon(socket)
    daemon.judge = judge
    over = threading.Event()

    def work():
        try:
            while not over.wait(0.02):
                for run in Run.objects.filter(state="queued").order_by("lane", "created_at"):
                    judge_run(str(run.pk), DaemonClient(daemon.path), "cpu@test", over)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield daemon
    finally:
        over.set()
        thread.join(20)
        daemon.close()
