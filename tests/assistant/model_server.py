"""An HTTP server that streams as OpenAI's and Anthropic's do, byte for byte as a test says."""

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Handler"], None]


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class ModelServer:
    """Answers the first question with the first reply, and so on; the last one again and again."""

    replies: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    models: list[str] = field(default_factory=lambda: ["small-model"])
    released: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        owner = self

        class Bound(Handler):
            server_of_test = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_test: ModelServer

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        listed = [{"id": name, "type": "model", "display_name": name} for name in self.server_of_test.models]
        self.answer(200, json.dumps({"object": "list", "data": listed, "has_more": False}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server_of_test.asked.append(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        try:
            self.server_of_test.next_reply()(self)
        except OSError:  # the client has gone
            self.close_connection = True

    def answer(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def piece(self, data: bytes) -> None:
        if data:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

    def complete(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """The connection ends without the end of the body."""
        self.wfile.flush()
        self.close_connection = True


def streamed(pieces: Iterable[bytes], *, cut: bool = False) -> Reply:
    """Sends the pieces, each as a chunk of its own."""
    kept = list(pieces)

    def reply(handler: Handler) -> None:
        handler.begin()
        for piece in kept:
            handler.piece(piece)
        if cut:
            handler.cut()
        else:
            handler.complete()

    return reply


def then_silent(pieces: Iterable[bytes]) -> Reply:
    """Sends the pieces and then nothing, until the test is over."""
    kept = list(pieces)

    def reply(handler: Handler) -> None:
        handler.begin()
        for piece in kept:
            handler.piece(piece)
        handler.server_of_test.released.wait(30)
        handler.cut()

    return reply


def refused(code: int, message: str = "", **headers: str) -> Reply:
    body = json.dumps({"type": "error", "error": {"type": "some_error", "message": message}}).encode()
    return lambda handler: handler.answer(code, body, **headers)


def data(value: Any, event: str = "") -> bytes:
    named = f"event: {event}\n" if event else ""
    return f"{named}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


class OpenAi:
    """What a server says that speaks OpenAI's chat completions."""

    kind = "openai"
    path = "/v1"
    done = b"data: [DONE]\n\n"

    @staticmethod
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return data({"id": "c1", "object": "chat.completion.chunk", "model": "small-model-1", "choices": [choice]})

    @classmethod
    def texts(cls, *texts: str) -> list[bytes]:
        return [cls.chunk({"role": "assistant", "content": ""}), *(cls.chunk({"content": text}) for text in texts)]

    @classmethod
    def end(cls, why: str = "end", tokens: tuple[int, int] | None = (11, 7)) -> list[bytes]:
        words = {"end": "stop", "tools": "tool_calls", "length": "length", "filter": "content_filter"}
        usage = {"model": "small-model-1", "choices": []}
        if tokens:
            details = {"cached_tokens": 4}
            usage |= {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}}
            usage["usage"] |= {"total_tokens": sum(tokens), "prompt_tokens_details": details}
        return [cls.chunk({}, words[why]), data(usage), cls.done]

    @classmethod
    def call(cls, index: int, identity: str, name: str, *arguments: str) -> list[bytes]:
        first = {"index": index, "id": identity, "type": "function", "function": {"name": name, "arguments": ""}}
        rest = [{"index": index, "function": {"arguments": part}} for part in arguments]
        return [cls.chunk({"tool_calls": [one]}) for one in (first, *rest)]

    error = staticmethod(lambda message: data({"error": {"message": message, "type": "server_error"}}))


class Anthropic:
    """What a server says that speaks Anthropic's messages."""

    kind = "anthropic"
    path = ""
    done = b""

    @staticmethod
    def start() -> bytes:
        usage = {"input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, "output_tokens": 1}
        message = {"id": "m1", "type": "message", "role": "assistant", "model": "small-model-1", "content": []}
        return data({"type": "message_start", "message": {**message, "usage": usage}}, "message_start")

    @classmethod
    def block(cls, index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> list[bytes]:
        begin = {"type": "content_block_start", "index": index, "content_block": block}
        parts = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        stop = {"type": "content_block_stop", "index": index}
        return [data(one, one["type"]) for one in (begin, *parts, stop)]

    @classmethod
    def texts(cls, *texts: str) -> list[bytes]:
        deltas = [{"type": "text_delta", "text": text} for text in texts]
        ping = data({"type": "ping"}, "ping")
        return [cls.start(), ping, *cls.block(0, {"type": "text", "text": ""}, deltas)]

    @classmethod
    def call(cls, index: int, identity: str, name: str, *arguments: str) -> list[bytes]:
        block = {"type": "tool_use", "id": identity, "name": name, "input": {}}
        return cls.block(index + 1, block, [{"type": "input_json_delta", "partial_json": part} for part in arguments])

    @staticmethod
    def end(why: str = "end", tokens: tuple[int, int] | None = (11, 7)) -> list[bytes]:
        words = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "filter": "refusal"}
        usage = {"output_tokens": tokens[1]} if tokens else None
        delta = {"type": "message_delta", "delta": {"stop_reason": words[why], "stop_sequence": None}, "usage": usage}
        return [data(delta, "message_delta"), data({"type": "message_stop"}, "message_stop")]

    error = staticmethod(
        lambda message: data({"type": "error", "error": {"type": "overloaded_error", "message": message}}, "error")
    )
