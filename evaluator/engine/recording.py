"""Which variable of a pattern's function holds which node: messages should speak the author's language."""

import sys
from types import CodeType, FrameType
from typing import Any, NamedTuple

from torch.fx import Node, Proxy


class Place(NamedTuple):
    """Where an expression stands in its file, as `ast` counts: lines from 1, columns in bytes of UTF-8 from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


class Recording:
    """Remembers which variable of the pattern's function holds which node, and which expression made a node."""

    def __init__(self, code: CodeType | None) -> None:
        self.code = code
        self.names: dict[Node, str] = {}
        self.lines: dict[Node, int] = {}
        self.places: dict[Node, Place] = {}
        self._positions = [] if code is None else list(code.co_positions())
        self._mine = False

    def __enter__(self) -> None:
        # only names of values that nothing was computed from come from here: a profiler that is at work may stay
        self._mine = self.code is not None and sys.getprofile() is None
        if self._mine:
            sys.setprofile(self._on_event)

    def __exit__(self, *_: object) -> None:
        if self._mine:
            sys.setprofile(None)

    def _on_event(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is self.code:
            self._look(frame)

    def created(self, node: Node) -> None:
        if self.code is None:
            return
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        if frame is not None:
            self.lines[node] = frame.f_lineno
            line, end_line, column, end_column = self._positions[frame.f_lasti // 2]
            if None not in (line, end_line, column, end_column):
                self.places[node] = Place(line, column, end_line, end_column)  # type: ignore[arg-type]
            self._look(frame)

    def _look(self, frame: FrameType) -> None:
        for name, value in frame.f_locals.items():
            if isinstance(value, Proxy) and "node" in vars(value):
                self.names.setdefault(value.node, name)

    def unique_names(self) -> dict[Node, str]:
        """Like the names in a graph's text: a variable that is assigned again is called name_1, name_2, …"""
        used: dict[str, int] = {}
        found = {}
        for node, name in self.names.items():
            count = used[name] = used.get(name, -1) + 1
            found[node] = f"{name}_{count}" if count else name
        return found
