"""The match lane: matches patterns while they are typed, beside the runs of a device's daemon.

    warm  --fork once-->  lane (no submission's code)  --fork-->  matcher, isolated, for one text, then gone

The lane listens on a socket of its own, so that whoever may ask for matches need not be able to start runs. Isolating a
process takes longer than matching: so each client has spare matchers, isolated and holding the task's graphs, before
the next text comes (two: a text that comes while another is matched ends that one's matcher). One text of a user is
matched at a time; a newer one over the same connection ends the older.

Requests are lines of JSON:
    {"op": "graphs", "who": …, "graphs": [{"name", "source"}, …]}    once, and when the task changes
    {"op": "match", "version": n, "files": {…}, "first": name}       answered graph by graph, `first` first
Answers carry the `version` they are for:
    {"say": "ready"}, {"say": "graph", "graph": name, "matches", "per_pass", "nodes", "near_misses", "notes"},
    {"say": "unreadable", "graph", "message"}, {"say": "failed", "kind", "message"}, {"say": "done"},
    {"say": "refused", "message"}
"""

import contextlib
import os
import selectors
import socket
import time
from pathlib import Path
from typing import Any

from evaluator.runner import isolation, lanes, linux, match_answers, results
from evaluator.runner.match_clients import Client, Matching, Request
from evaluator.runner.match_lines import Lines
from evaluator.runner.match_spares import Spares
from evaluator.runner.protocol import Closed, Message, ProtocolError

STEP_SECONDS = 8.0  # until the first graph is matched, and then for each; the processor's time is limited closer
TOTAL_SECONDS = 40.0
MAX_CLIENTS = 200
MAX_OF_USER = 8  # connections
AT_ONCE = max(1, min(4, (os.cpu_count() or 1) - 1))
_MAX_REQUEST_BYTES = 64 << 20
_TICK, _IDLE_TICK = 0.02, 0.5
_LOOK_SECONDS = 0.1

_UNREADABLE = "The request can not be read."
_NONSENSE = "The process gave an answer that is none: the files change what the matcher itself is made of."


def main(path: Path) -> None:
    """Serve at `path` until SIGTERM, or until the warm process that has forked us is gone."""
    lanes.run(path, _Lane)


class _Lane:
    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ)
        self.clients: dict[int, Client] = {}  # by descriptor
        self.of_matcher: dict[int, Client] = {}  # running matchers' descriptors
        self.waiting: list[Client] = []  # whose turn it is next comes first
        self.spares = Spares(self.clients)
        self.stopping = False

    def stop(self, *_: object) -> None:
        self.stopping = True

    def serve(self) -> None:
        linux.adopt_orphans()
        while not self.stopping:
            busy = self.of_matcher or self.spares.dying
            for key, events in self.selector.select(_TICK if busy else _IDLE_TICK):
                self._heard(key.fd, events)
            self._start_waiting()
            self._watch(time.monotonic())

    def end(self) -> None:
        for client in list(self.clients.values()):
            self._drop(client)
        self.spares.end_all()

    def _heard(self, descriptor: int, events: int) -> None:
        if descriptor == self.listener.fileno():
            self._accept()
        elif descriptor in self.clients:
            self._hear_client(self.clients[descriptor], events)
        elif descriptor in self.of_matcher:
            self._hear_matcher(self.of_matcher[descriptor], events)

    # Clients.

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self.listener.accept()
            if len(self.clients) >= MAX_CLIENTS:
                sock.close()
                return
            client = Client(Lines(sock, _MAX_REQUEST_BYTES))
            self.clients[sock.fileno()] = client
            self.selector.register(sock, selectors.EVENT_READ)

    def _hear_client(self, client: Client, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            client.lines.flush()
            self._follow(client.lines)
        if not events & selectors.EVENT_READ:
            return
        try:
            for message in client.lines.read():
                self._obey(client, message)
        except (Closed, ProtocolError):
            self._drop(client)

    def _obey(self, client: Client, message: Message) -> None:
        refusal = isolation.refusal()
        if refusal is not None:
            self._say(client, message.get("version"), "refused", message=refusal)
            return
        try:
            match message["op"]:
                case "graphs":
                    self._take_graphs(client, str(message["who"]), message["graphs"])
                case "match":
                    self._take_request(client, Request.of(message))
                case _:
                    raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError):
            self._say(client, message.get("version"), "refused", message=_UNREADABLE)

    def _take_graphs(self, client: Client, who: str, graphs: list[dict[str, str]]) -> None:
        numbers: dict[str, int] = {}
        names = {str(one["name"]): numbers.setdefault(str(one["source"]), len(numbers)) for one in graphs}
        of_user = [other for other in self.clients.values() if other.who == who and other is not client]
        if len(of_user) >= MAX_OF_USER:
            self._say(client, None, "refused", message="Matching while typing is open in too many pages: close some.")
            return
        self._leave(client)
        client.who, client.names, client.sources, client.first = who, names, list(numbers), 0
        self._say(client, None, "ready")
        self.spares.make(client)

    def _take_request(self, client: Client, request: Request) -> None:
        if request.first not in client.names:
            raise ValueError("a graph that there is not")
        self._end_running(client)
        client.wanted = request
        if client not in self.waiting:
            self.waiting.append(client)

    def _drop(self, client: Client) -> None:
        self._leave(client)
        self._unregister(client.lines)
        del self.clients[client.lines.fileno()]
        client.lines.close()

    def _leave(self, client: Client) -> None:
        """End everything that is done for a client."""
        client.wanted = None
        if client in self.waiting:
            self.waiting.remove(client)
        self._end_running(client)
        self.spares.end_of(client)

    def _say(self, client: Client, version: Any, what: str, **more: Any) -> None:
        client.lines.put(results.printable({"say": what, "version": version, **more}))
        self._follow(client.lines)

    # Turns.

    def _start_waiting(self) -> None:
        """Start what may start: a few texts at once, and one of a user."""
        for client in list(self.waiting):
            if len(self.of_matcher) >= AT_ONCE:
                return
            if any(other.who == client.who for other in self.of_matcher.values()):
                continue
            self.waiting.remove(client)
            request, client.wanted = client.wanted, None
            if request is not None:
                self._start(client, request)

    def _start(self, client: Client, request: Request) -> None:
        client.first = client.names[request.first]
        matcher = self.spares.take(client)
        matcher.ask(request.files, client.first)
        now = time.monotonic()
        client.running = Matching(matcher, request, now + STEP_SECONDS, now + TOTAL_SECONDS, look_at=now)
        self.of_matcher[matcher.lines.fileno()] = client
        self.selector.register(matcher.lines.sock, selectors.EVENT_READ)
        self._follow(matcher.lines)
        if not client.spares:  # the next key may come before this text is answered
            self.spares.make(client, 1)

    def _end_running(self, client: Client) -> None:
        if client.running is not None:
            matcher = client.running.matcher
            client.running = None
            del self.of_matcher[matcher.lines.fileno()]
            self._unregister(matcher.lines)
            self.spares.end(matcher)

    # Matchers.

    def _hear_matcher(self, client: Client, events: int) -> None:
        running = client.running
        assert running is not None
        if events & selectors.EVENT_WRITE:
            running.matcher.lines.flush()
            self._follow(running.matcher.lines)
        if not events & selectors.EVENT_READ:
            return
        try:
            for message in running.matcher.lines.read():
                self._believe(client, running, message)
                if client.running is not running:
                    return
        except Closed:
            running.until = min(running.until, time.monotonic() + 1.0)  # it is about to end
            self._unregister(running.matcher.lines)
        except ProtocolError:
            self._fail(client, running, _NONSENSE)

    def _believe(self, client: Client, running: Matching, message: Message) -> None:
        """Pass on what a matcher says, as far as it can be true."""
        version, count = running.request.version, len(client.sources)
        match message.get("say"):
            case "loaded":
                running.doing = "while the pattern was traced and matched"
            case "graph":
                index, found = match_answers.graph(message, count)
                running.once(index)
                for name in client.names_of(index, running.request.first):
                    self._say(client, version, "graph", graph=name, **found)
            case "unreadable":
                index, why = match_answers.unreadable(message, count)
                running.once(index)
                for name in client.names_of(index, running.request.first):
                    self._say(client, version, "unreadable", graph=name, message=why)
            case "failed":
                self._say(client, version, "failed", **match_answers.failure(message))
                self._finish(client)
                return
            case "done":
                self._say(client, version, "done")
                self._finish(client)
                return
        running.until = min(running.end, time.monotonic() + STEP_SECONDS)

    def _fail(self, client: Client, running: Matching, why: str) -> None:
        self._say(client, running.request.version, "failed", kind="stopped", message=why)
        self._finish(client)

    def _finish(self, client: Client) -> None:
        self._end_running(client)
        self.spares.make(client)

    def _watch(self, now: float) -> None:
        for client in list(self.of_matcher.values()):
            running = client.running
            if running is not None:
                self._watch_running(client, running, now)
        for client in list(self.clients.values()):
            if client.lines.closed:  # it does not read what it asked for
                self._drop(client)
            elif now > client.spare_until:
                self.spares.end_of(client)
        self.spares.collect()

    def _watch_running(self, client: Client, running: Matching, now: float) -> None:
        matcher = running.matcher
        if matcher.process.poll() is not None:
            self._hear_the_rest(client, running)
            if client.running is running:
                self._fail(client, running, matcher.how_it_ended(running.doing))
        elif now > running.until:
            self._fail(client, running, f"Stopped {running.doing}: it took too long. Is there a loop without an end?")
        elif now > running.look_at:
            running.look_at = now + _LOOK_SECONDS
            matcher.look(self.spares.all_but(matcher))

    def _hear_the_rest(self, client: Client, running: Matching) -> None:
        """It has ended: what it said before may still be on the way."""
        with contextlib.suppress(Closed, ProtocolError):
            while client.running is running and (messages := running.matcher.lines.read()):
                for message in messages:
                    if client.running is running:
                        self._believe(client, running, message)

    # Sockets.

    def _follow(self, lines: Lines) -> None:
        """Wake up for what a socket has to do next."""
        if lines.closed:
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if lines.wants_to_write else 0)
        with contextlib.suppress(KeyError):
            if self.selector.get_key(lines.sock).events != wanted:
                self.selector.modify(lines.sock, wanted)

    def _unregister(self, lines: Lines) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self.selector.unregister(lines.sock)
