"""The web server process: Daphne, with a bound on what a request may send before anybody looks at it.

`python -m passnet_web.serve -b 127.0.0.1 -p 8000` takes Daphne's options. Daphne and Django keep a body in a file until
all of it is there; without a bound, anybody could fill the disk. Behind a proxy with a bound any ASGI server will do.
"""

import os
import sys
from typing import Any

from daphne.cli import CommandLineInterface  # type: ignore[import-untyped]
from daphne.http_protocol import WebRequest  # type: ignore[import-untyped]
from daphne.server import Server  # type: ignore[import-untyped]
from twisted.web.http import Request

from passnet_web.headers import DATA_POLICY

PATIENCE = 16  # times the limit
LONGEST_MESSAGE = 8 << 20  # bytes of a WebSocket message, both ways; each consumer has a bound of its own as well


class BoundedRequest(WebRequest):  # type: ignore[misc]
    """A request that is answered as soon as its body is known to be beyond the limit, and kept no further.

    What still comes is thrown away for a while: a client that is cut off while it writes never reads the answer.
    """

    limit = 0
    received = 0
    refused = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802 (Twisted's name)
        """The headers are here; `length` is None for a body that comes in chunks."""
        super().gotLength(min(length, self.limit) if length else length)
        if length is not None and length > self.limit:
            self._refuse()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """A piece of the body."""
        self.received += len(data)
        if self.received > self.limit:
            self._refuse()
        if not self.refused:
            super().handleContentChunk(data)
        elif self.received > PATIENCE * self.limit:
            self._hang_up()

    def process(self) -> Any:
        """The whole request is here."""
        return self._hang_up() if self.refused else super().process()

    def _refuse(self) -> None:
        if self.refused:
            return
        self.refused = True
        words = f'{{"error": "The body is larger than {self.limit >> 20} MB.", "code": "too_big"}}'.encode()
        self.clientproto = b"HTTP/1.1"  # not known yet while the body is being read
        self.setResponseCode(413)
        self.responseHeaders.setRawHeaders(b"content-type", [b"application/json"])
        self.responseHeaders.setRawHeaders(b"x-content-type-options", [b"nosniff"])
        self.responseHeaders.setRawHeaders(b"content-security-policy", [DATA_POLICY.encode()])
        self.responseHeaders.setRawHeaders(b"connection", [b"close"])
        self.responseHeaders.setRawHeaders(b"content-length", [b"%d" % len(words)])
        Request.write(self, words)

    def _hang_up(self) -> None:
        if self.channel is not None:
            self.channel.loseConnection()


class BoundedServer(Server):  # type: ignore[misc]
    """Daphne's server with requests of the kind above."""

    def run(self) -> None:
        import daphne.server  # type: ignore[import-untyped]
        from django.conf import settings

        class Factory(daphne.server.HTTPFactory):  # type: ignore[misc]
            def buildProtocol(self, address: Any) -> Any:  # noqa: N802
                protocol = super().buildProtocol(address)
                protocol.requestFactory = type("Request", (BoundedRequest,), {"limit": settings.MAX_BODY})
                return protocol

        daphne.server.HTTPFactory = Factory
        super().run()


def main() -> None:
    """Serve until we are told to stop."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "passnet_web.settings")
    interface = CommandLineInterface()
    interface.server_class = BoundedServer
    bounds = ["--websocket-max-message-size", str(LONGEST_MESSAGE), "--websocket-max-frame-size", str(LONGEST_MESSAGE)]
    interface.run([*bounds, "--server-name", "passnet", *sys.argv[1:], "passnet_web.asgi:application"])


if __name__ == "__main__":
    main()
