"""Where the tools work: an author's task, a copy of the files, a device."""

from collections.abc import Callable
from dataclasses import dataclass, field

from graphs.models import Task
from submissions.models import Author


class ToolProblem(Exception):
    """A tool could not do what it was asked; the message goes to the model, which may do better."""


@dataclass
class Workplace:
    """`files` is a working copy: whoever made the workplace decides what becomes of it.

    `hands_in` is under whose name runs stand, where that is not `author`, with whose permissions all is done.
    `cancelled` is asked while a tool waits; `runs` are those that the tools have asked for, the newest last.
    """

    author: Author
    task: Task
    files: dict[str, str]
    device: str = "cpu"
    cancelled: Callable[[], bool] = lambda: False
    doing: Callable[[str], None] = lambda what: None
    runs: list[str] = field(default_factory=list)
    longest_wait: float = 900.0  # seconds, for one run
    hands_in: Author | None = None
