"""What is done for one client of the daemon, in a process forked for it that holds the client's connection."""

import json
import os
import resource
import signal
import socket
import time
from functools import partial
from typing import Any

from evaluator.engine.build import UnsupportedTarget, build
from evaluator.engine.inputs import InputProblem, graph_inputs
from evaluator.engine.shapes import described_shapes
from evaluator.job import BASELINES, Job
from evaluator.runner import baseline_run, protocol, results, supervise, watchdog
from evaluator.runner.devices import same_kind
from evaluator.runner.protocol import Channel, Message
from evaluator.runner.spare import Spare
from graphs.fx_source import parse
from graphs.problems import ReadProblem
from graphs.samples import sample_from_json

_DESCRIBE_BYTES = 4 << 30
_MAX_UNREAD_BYTES = 64 << 20
_FAREWELL_SECONDS = 30.0  # for a client to read the last events


def wait(channel: Channel, device: str) -> None:
    """Be the session of a run that is not known yet, judge and runner ready; its request comes through `channel`."""
    spare = Spare.start(device)
    try:
        _, (client, request) = channel.receive()
    except protocol.Closed:
        spare.end()
        return
    channel.close()
    run(socket.socket(fileno=client), read_request(request), device, spare)


def read_request(descriptor: int) -> bytes:
    """The request in a file that the front has filled; closes the descriptor."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def run(client: socket.socket, request: bytes, device: str, spare: Spare | None = None) -> None:
    """Judge the job of a request and write its events to the client, until it hangs up or SIGTERM arrives."""
    outbox = Outbox(client)
    signal.signal(signal.SIGTERM, outbox.close)
    try:
        job = Job.from_json(json.loads(request)["job"])
        problem = None if same_kind(job.device, device) else f"this daemon judges on {device!r}, not on {job.device!r}"
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"the job can not be read: {type(error).__name__}: {error}"
    if problem:
        outbox.put({"event": "error", "message": problem})
    else:
        do = baseline_run.run_job if job.purpose == BASELINES else partial(supervise.run_job, spare=spare)
        do(job, lambda kind, payload: outbox.put({"event": kind, **payload}), outbox.hung_up)
    if spare is not None:
        spare.end()
    outbox.finish()


def run_fault(why: str) -> Message:
    return {"event": "error", "message": f"The evaluator failed while it judged this run: {why}."}


def describe(client: socket.socket, request: bytes, device: str) -> None:
    """Answer with the shapes and dtypes of a graph's nodes, or with the reason why they are not known."""
    limit = watchdog.address_space() + _DESCRIBE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    outbox = Outbox(client)
    try:
        sample = sample_from_json(json.loads(request)["sample"])
        graph = parse(sample.source)
        metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
        module = build(graph)
        shapes = described_shapes(module, metas, scalars)
        names = {node.name: node.meta.get("source_name", node.name) for node in module.graph.nodes}
        outbox.put({"nodes": {names.get(name, name): info for name, info in shapes.items()}})
    except (ReadProblem, UnsupportedTarget, InputProblem, MemoryError) as problem:
        outbox.put({"error": str(problem) or "it needs too much memory"})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        outbox.put({"error": f"the sample can not be read: {type(error).__name__}: {error}"})
    outbox.finish()


def describe_fault(why: str) -> Message:
    return {"error": f"The shapes of this graph could not be found: {why}."}


class Outbox:
    """Lines for a client that may read slowly: nobody who must watch a clock waits for it."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._waiting = bytearray()
        self._closed = False
        client.setblocking(False)

    def close(self, *_: object) -> None:
        self._closed = True

    def put(self, message: dict[str, Any]) -> None:
        if not self._closed:
            self._waiting += protocol.line(results.printable(message))
            self._flush()

    def hung_up(self) -> bool:
        """Whether the client is gone, or so far behind that it might as well be."""
        self._flush()
        try:
            self._closed = self._closed or self._client.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            pass
        except OSError:
            self._closed = True
        return self._closed or len(self._waiting) > _MAX_UNREAD_BYTES

    def finish(self) -> None:
        """Wait until the client has taken everything, for a while."""
        until = time.monotonic() + _FAREWELL_SECONDS
        while self._waiting and not self.hung_up() and time.monotonic() < until:
            time.sleep(0.01)

    def _flush(self) -> None:
        while self._waiting and not self._closed:
            try:
                del self._waiting[: self._client.send(self._waiting)]
            except BlockingIOError:
                return
            except OSError:
                self._closed = True
