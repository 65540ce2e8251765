"""The life of a Celery worker process: its caretaker starts and stops with it."""

import threading
from typing import Any

from celery import signals

from submissions.dispatch import queue_name

# Set when the worker is told to stop: a run that is going on is given back to the queue instead of being waited for.
stopping = threading.Event()


def devices_of(queues: list[str]) -> list[str]:
    """The device classes behind a worker's queues."""
    prefix = queue_name("")
    return [name.removeprefix(prefix) for name in queues if name.startswith(prefix)]


@signals.worker_ready.connect
def _start(sender: Any, **kwargs: Any) -> None:
    from submissions.caretaker import Caretaker

    caretaker = Caretaker(devices_of(list(sender.app.amqp.queues.consume_from)), sender.hostname)
    caretaker.start()
    signals.worker_shutdown.connect(lambda **_: caretaker.stop(), weak=False)


@signals.worker_shutting_down.connect
def _stop(**kwargs: Any) -> None:
    stopping.set()
