"""What the pages and the API say when a request can not be met: what happened, why, and what to do."""

from typing import Any


class Refused(Exception):
    """A request is refused. `status` is the HTTP status, `code` a short word for programs, `extra` more JSON fields."""

    def __init__(self, status: int, code: str, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.extra = extra
