"""Logs for programs: one JSON object a line, with the id of the run that it is about."""

import json
import logging
from datetime import UTC, datetime
from typing import Any


class JsonLine(logging.Formatter):
    """`{"at", "level", "logger", "message", "process"}`, and `run` and `error` (a traceback) where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        run = getattr(record, "run", "")
        if run:
            line["run"] = run
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


class PlainLine(logging.Formatter):
    """The same for people; the run stands before the message."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {about}{message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        run = getattr(record, "run", "")
        record.about = f"run {run}: " if run and run not in record.getMessage() else ""
        return super().format(record)
