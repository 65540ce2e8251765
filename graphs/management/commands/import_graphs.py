"""`manage.py import_graphs PATH`: a sample folder, a task folder, or a tree that holds them."""

import json
import os
import signal
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.importing import SECONDS, Report, import_tree
from graphs.shown_progress import ShownProgress

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
        shown = ShownProgress(cast(TextIO, self.stderr._out), bar=not options["json"] and self.stderr.isatty())
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
