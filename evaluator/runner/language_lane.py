"""The language lane: language servers for what is being typed, one of each kind for an author, each shut in by itself.

It imports no torch. A connection begins with one line of JSON and is answered with one:
    {"op": "start", "server": "types" | "lint", "who": …, "page": …, "files": {…}}
        → {"say": "ready", "root": folder}; from then on the connection is the server's own, in LSP's framing
    {"op": "source", "path": …}   a file of the packages, to be read
        → {"say": "source", "name": …, "text": …}, and the end
    {"op": "page", "who": …}      the page that an author's servers are in
        → {"say": "page", "page": … or null}, and the end
    each → {"say": "refused", "message": why}, and the end
A server ends with its connection, when its author comes with another page, and when it takes too much.
"""

import contextlib
import select
import socket
import sys
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.runner import isolation, lanes, language_process, linux, processes
from evaluator.runner.language_process import LanguageProcess
from evaluator.runner.match_lines import Lines
from evaluator.runner.protocol import Closed, Message, ProtocolError

MAX_SERVERS = 64
MAX_CALLERS = 64  # connections that have not said yet what they want
SAY_SECONDS = 10.0  # for saying it
_MAX_OPENING_BYTES = 16 << 20
_MAX_SOURCE_BYTES = 2 << 20
_TICK, _LOOK_SECONDS = 0.5, 1.0

_FULL = "the language servers are all in use; it is tried again by itself"


@dataclass
class _Caller:
    lines: Lines
    until: float
    leaving: bool = False  # has its answer, or what of it fits on its way: a file of the packages is larger than that


@dataclass
class _Serving:
    sock: socket.socket
    who: str
    page: str
    kind: str
    server: LanguageProcess


@dataclass
class _Lane:
    listener: socket.socket
    poll: select.poll = field(default_factory=select.poll)
    callers: dict[int, _Caller] = field(default_factory=dict)
    serving: dict[int, _Serving] = field(default_factory=dict)
    dying: list[LanguageProcess] = field(default_factory=list)
    stopping: bool = False
    look_at: float = 0.0

    def stop(self, *_: object) -> None:
        self.stopping = True

    def serve(self) -> None:
        linux.adopt_orphans()
        self.poll.register(self.listener, select.POLLIN)
        while not self.stopping:
            for descriptor, _ in self.poll.poll(_TICK * 1000):
                if descriptor == self.listener.fileno():
                    self._accept()
                elif descriptor in self.callers:
                    caller = self.callers[descriptor]
                    if caller.leaving:
                        self._let_go(caller)
                    else:
                        self._hear(caller)
                elif descriptor in self.serving:  # only its end is polled for
                    self._end(self.serving[descriptor])
            self._watch(time.monotonic())

    def end(self) -> None:
        for serving in list(self.serving.values()):
            self._end(serving)
        processes.kill_descendants(frozenset())
        for server in self.dying:
            server.clean_up(frozenset())

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self.listener.accept()
            if len(self.callers) >= MAX_CALLERS:
                sock.close()
                return
            self.callers[sock.fileno()] = _Caller(Lines(sock, _MAX_OPENING_BYTES), time.monotonic() + SAY_SECONDS)
            self.poll.register(sock, select.POLLIN)

    def _hear(self, caller: _Caller) -> None:
        try:
            messages = caller.lines.read()
        except (Closed, ProtocolError):
            self._dismiss(caller)
            return
        if messages:
            self._obey(caller, messages[0])

    def _obey(self, caller: _Caller, message: Message) -> None:
        try:
            if message["op"] == "source":
                answer = _source(Path(str(message["path"])))
                caller.lines.put(answer or _refused("that file can not be shown"))
            elif message["op"] == "page":
                caller.lines.put({"say": "page", "page": self._page_of(str(message["who"]))})
            else:
                kind, who, page = str(message["server"]), str(message["who"]), str(message["page"])
                files = {str(name): str(text) for name, text in message["files"].items()}
                why = self._why_not(kind)
                if why is None:
                    self._start(caller, kind, who, page, files)
                    return
                caller.lines.put(_refused(why))
        except (KeyError, TypeError, AttributeError):
            caller.lines.put(_refused("the request can not be read"))
        self._let_go(caller)

    def _page_of(self, who: str) -> str | None:
        return next((one.page for one in self.serving.values() if one.who == who), None)

    def _why_not(self, kind: str) -> str | None:
        if isolation.refusal() is not None:
            return "this machine can not shut a language server in"
        if language_process.programs().get(kind) is None:
            return "the language servers are not installed; make setup installs them"
        return _FULL if len(self.serving) >= MAX_SERVERS else None

    def _start(self, caller: _Caller, kind: str, who: str, page: str, files: dict[str, str]) -> None:
        for other in list(self.serving.values()):
            if other.who == who and (other.page != page or other.kind == kind):
                self._end(other)
        sock = caller.lines.sock
        del self.callers[sock.fileno()]
        folder = language_process.make_folder()
        caller.lines.put({"say": "ready", "root": str(language_process.root_of(folder))})
        sock.setblocking(True)
        server = LanguageProcess.start(kind, files, sock, folder)
        self.serving[sock.fileno()] = _Serving(sock, who, page, kind, server)
        self.poll.modify(sock, 0)  # its end is always told; what is said on it is the server's to read

    def _let_go(self, caller: _Caller) -> None:
        """Dismiss who has been told all; who has not is waited for until its time is over."""
        caller.leaving = True
        caller.lines.flush()
        if caller.lines.wants_to_write:
            self.poll.modify(caller.lines, select.POLLOUT)
        else:
            self._dismiss(caller)

    def _dismiss(self, caller: _Caller) -> None:
        self.poll.unregister(caller.lines)
        del self.callers[caller.lines.fileno()]
        caller.lines.close()

    def _end(self, serving: _Serving) -> None:
        self.poll.unregister(serving.sock)
        del self.serving[serving.sock.fileno()]
        serving.server.kill()
        # The server's copy goes with the process; this tells the other side now.
        with contextlib.suppress(OSError):
            serving.sock.shutdown(socket.SHUT_RDWR)
        serving.sock.close()
        self.dying.append(serving.server)

    def _watch(self, now: float) -> None:
        for caller in list(self.callers.values()):
            if now > caller.until:
                self._dismiss(caller)
        for serving in list(self.serving.values()):
            if serving.server.process.poll() is not None:
                self._end(serving)
            elif now > self.look_at:
                serving.server.look()
        if now > self.look_at:
            self.look_at = now + _LOOK_SECONDS
        for server in list(self.dying):
            if server.process.poll() is not None:
                self.dying.remove(server)
                server.clean_up(self._all_but(server))

    def _all_but(self, server: LanguageProcess) -> frozenset[int]:
        living = [*(one.server for one in self.serving.values()), *self.dying]
        return frozenset(one.process.pid for one in living if one is not server)


def serve(path: Path) -> int:
    """Serve at `path` until SIGTERM or SIGINT; returns the exit status. Nothing that was started is alive afterwards.

    Raises AddressInUse, and OSError where the socket can not be made.
    """
    lanes.run(path, _Lane)
    return 0


def _source(path: Path) -> dict[str, Any] | None:
    """A Python file of the packages or of the standard library; None for any other."""
    roots = [Path(sysconfig.get_path("stdlib")), *language_process.package_folders()]
    try:
        real = path.resolve()
        root = next((root for root in roots if real.is_relative_to(root.resolve())), None)
        if root is None or real.suffix not in (".py", ".pyi") or real.stat().st_size > _MAX_SOURCE_BYTES:
            return None
        text = real.read_text("utf-8", errors="replace")
    except (OSError, ValueError) as error:
        print(f"a source is not shown: {type(error).__name__}", file=sys.stderr)
        return None
    roots.sort(key=lambda one: len(one.parts), reverse=True)
    inner = next(one for one in roots if real.is_relative_to(one.resolve()))
    return {"say": "source", "name": str(real.relative_to(inner.resolve())), "text": text}


def _refused(why: str) -> dict[str, Any]:
    return {"say": "refused", "message": why}
