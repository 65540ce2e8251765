"""Sends a run to the workers of its device class. The message only wakes a worker; whether there is work to do, and
for whom, is decided in the database. A message that gets lost is sent again by `submissions.caretaker`.
"""

import logging

from celery import current_app

log = logging.getLogger(__name__)

RUN_TASK = "submissions.run_submission"
ANNOTATE_TASK = "submissions.annotate_graphs"
CAPTURE_TASK = "submissions.capture_module"


def queue_name(device: str) -> str:
    """The queue of a device class."""
    return f"device.{device}"


def send_run(run_id: str, device: str) -> bool:
    """Asks a worker to run it. False when the broker can not be reached; the caretaker then tries again."""
    return _send(RUN_TASK, [run_id], device)


def send_annotate(device: str) -> bool:
    """Asks a worker to find the shapes of graphs that have none."""
    return _send(ANNOTATE_TASK, [device], device)


def send_capture(upload_id: str, device: str) -> bool:
    """Asks a worker to capture the graphs of an uploaded module."""
    return _send(CAPTURE_TASK, [upload_id], device)


def messages_waiting(device: str) -> int | None:
    """How many messages wait in a device's queue; None when the broker can not be reached."""
    try:
        with current_app.connection_for_read() as connection:
            channel = connection.default_channel
            return int(channel.client.llen(queue_name(device)))
    except Exception as error:
        log.warning("the queue of %s can not be counted: %s", device, error)
        return None


def listen(worker: str, device: str, wanted: bool) -> None:
    """Tells a worker process to ask for the messages of a device class, or to leave them to others."""
    control = current_app.control
    (control.add_consumer if wanted else control.cancel_consumer)(queue_name(device), destination=[worker])


def _send(task: str, arguments: list[str], device: str) -> bool:
    try:
        # Once more at once: the connection of the pool may be one that a restarted broker has closed.
        retry = {"max_retries": 1, "interval_start": 0, "interval_max": 0}
        current_app.send_task(task, arguments, queue=queue_name(device), ignore_result=True, retry_policy=retry)
    except Exception as error:
        log.warning("%s for %s was not sent: %s", task, device, error)
        return False
    return True
