"""A client of the match lane, as the web server is one."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SECONDS = 60.0  # bounds a failing test on a busy machine


class MatchClient:
    """One connection; `ask` sends, `until_end` reads the answers for a version."""

    def __init__(self, path: Path, graphs: dict[str, str], who: str = "1") -> None:
        self._sock = socket.socket(socket.AF_UNIX)
        self._sock.settimeout(SECONDS)
        self._sock.connect(str(path))
        self._file = self._sock.makefile("rb")
        self._version = 0
        self.send(op="graphs", who=who, graphs=[{"name": name, "source": text} for name, text in graphs.items()])
        self.greeting = self.read()

    def send(self, **message: Any) -> None:
        self._sock.sendall(json.dumps(message).encode() + b"\n")

    def read(self) -> dict[str, Any]:
        line = self._file.readline()
        assert line, "the lane has closed the connection"
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, files: dict[str, str], first: str) -> int:
        """Send a text; returns its version."""
        self._version += 1
        self.send(op="match", version=self._version, files=files, first=first)
        return self._version

    def answers(self) -> Iterator[dict[str, Any]]:
        """Every answer up to the last of the newest version."""
        while True:
            said = self.read()
            yield said
            if said["version"] == self._version and said["say"] in ("done", "failed", "refused"):
                return

    def match(self, files: dict[str, str], first: str) -> list[dict[str, Any]]:
        """Send a text and wait for all its answers."""
        version = self.ask(files, first)
        return [said for said in self.answers() if said["version"] == version]

    def close(self) -> None:
        self._file.close()
        self._sock.close()
