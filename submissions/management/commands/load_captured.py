"""`manage.py load_captured`: the subgraphs of real models that the workbench ships with, and their figures."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.captured_archives import load_archives
from graphs.problems import ReadProblem
from submissions.captured_figures import load_figures

_NICE = 5  # whoever uses the pages meanwhile goes first
_INTERRUPTED = "Interrupted; run it again: what is stored stays."


class Command(BaseCommand):
    help = (
        "Load the catalogue of subgraphs that were captured from real models. Safe to repeat: an archive is read once, "
        "and what was deleted since then stays deleted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, nargs="?", help="a folder of archives (default: the shipped ones)")
        parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes that read")
        parser.add_argument("--gently", action="store_true", help="let other processes go first")

    def handle(self, *args: Any, path: Path | None, jobs: int, gently: bool, **options: Any) -> None:
        folder = path or settings.CAPTURED
        if gently:
            os.nice(_NICE)
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # `make run` ends: leave nothing behind
        try:
            self._load(folder, jobs)
        except KeyboardInterrupt:
            raise CommandError(_INTERRUPTED) from None
        except (ReadProblem, OSError) as problem:
            raise CommandError(f"The captured catalogue can not be read: {problem}") from problem
        finally:
            signal.signal(signal.SIGTERM, before)

    def _load(self, folder: Path, jobs: int) -> None:
        started = time.monotonic()
        report = load_archives(folder, self.stderr.write, jobs=jobs)
        if report.counts["archives"]:
            words = ", ".join(f"{number:,} {word}" for word, number in report.as_json().items())
            self.stdout.write(f"the captured catalogue, tasks: {words}, in {time.monotonic() - started:.1f} s")
        # A file of figures is read once, and lines of graphs that are not here are left out: all graphs come first.
        if report.stopped:
            raise CommandError(_INTERRUPTED)
        if report.counts["failed"]:
            raise CommandError(
                f"Tasks and archives that can not be read: {report.counts['failed']}; the lines above say why. "
                "Figures are loaded when all can be read."
            )
        figures = load_figures(folder, self.stderr.write)
        if figures:
            self.stdout.write(f"{figures:,} figures of it, in {time.monotonic() - started:.1f} s")
        if not report.counts["archives"] and not figures:
            self.stdout.write("the captured catalogue is loaded already")
