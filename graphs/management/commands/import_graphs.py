"""`manage.py import_graphs PATH`: a sample folder, a task folder, or a tree that holds them."""

import json
import os
import signal
import sys
import time
from argparse import ArgumentTypeError
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from graphs.importing import SECONDS, Report, import_tree
from graphs.plain_text import plain_line

_LINE_EVERY = 10.0  # seconds, where there is no terminal
_BROKEN_OFF = 130  # what shells call an end by Ctrl-C


class Command(BaseCommand):
    help = (
        "Import samples and tasks in the PassNet format, at any depth. What is there already, by content, stays as it "
        "is and is not read again: after an interruption, the same command goes on where it was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a sample folder, a task folder, or a folder that holds some")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON on the last line")
        parser.add_argument(
            "--jobs",
            type=_count,
            default=len(os.sched_getaffinity(0)),
            help="processes that read (default: one for each core); 0 reads in this one, without a limit of time",
        )
        parser.add_argument(
            "--seconds",
            type=_seconds,
            default=SECONDS,
            help="for one folder, then it is left out (default: %(default)g)",
        )

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        if not path.is_dir():
            raise CommandError(f"{path} is not a folder. Name a sample, a task, or a folder that holds some.")
        shown = _Shown(cast(TextIO, self.stderr._out), bar=not options["json"] and self.stderr.isatty())
        before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            report = import_tree(path, shown.say, jobs=options["jobs"], seconds=options["seconds"], progress=shown)
        finally:
            signal.signal(signal.SIGTERM, before)
            shown.close()
        if report.stopped:
            self.stderr.write(_how_to_go_on(report))
        counts = report.as_json()
        words = ", ".join(f"{number} {word}" for word, number in counts.items())
        self.stdout.write(json.dumps(counts) if options["json"] else words)
        if report.stopped:
            sys.exit(_BROKEN_OFF)


class _Shown:
    """Problems and progress on standard error: a bar on a terminal, elsewhere a line now and then."""

    def __init__(self, stream: TextIO, bar: bool) -> None:
        self._stream = stream
        self._bar = tqdm(file=stream, unit=" folders", dynamic_ncols=True, total=0) if bar else None
        self._line_at = time.monotonic() + _LINE_EVERY

    def say(self, text: str) -> None:
        """A problem, on one line: the names of files come from anyone."""
        if self._bar is None:
            self._stream.write(plain_line(text) + "\n")
        else:
            self._bar.write(plain_line(text), file=self._stream)

    def at(self, done: int, found: int, counts: Counter[str]) -> None:
        if self._bar is not None:
            self._bar.total = found
            self._bar.set_postfix(dict(counts), refresh=False)
            self._bar.update(done - self._bar.n)
        elif time.monotonic() >= self._line_at:
            self._line_at = time.monotonic() + _LINE_EVERY
            self._stream.write(f"{done:,} of {found:,} folders, {counts['failed']:,} failed\n")
            self._stream.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _how_to_go_on(report: Report) -> str:
    done = sum(report.counts.values())
    return (
        f"Stopped after {done:,} of the {report.found:,} folders found so far. What is counted below is stored, whole. "
        "Run the same command again to go on: what is stored is not read again."
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 1024:
        raise ArgumentTypeError(f"{text!r} is not a number of processes from 0 to 1024")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
