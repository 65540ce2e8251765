"""`manage.py import_run PATH --author NAME`: a run folder of a model or a team, or one log of an evaluation."""

import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.refused import Refused
from graphs.shown_progress import ShownProgress
from submissions.actions.run_folders import Described, do_get_author, do_want_evaluation
from submissions.models import Submission
from submissions.run_folder_import import import_run

_BROKEN_OFF = 130  # what shells call an end by Ctrl-C


class Command(BaseCommand):
    help = (
        "Import what an author handed in for a benchmark: every pass_dir at any depth, score.txt as the score that was "
        "reported, and logs of the published harness. Nothing is executed. What is there already stays as it is: after "
        "an interruption, the same command goes on where it was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a run folder, or a log")
        parser.add_argument("--author", required=True, help="the model or person that it belongs to")
        parser.add_argument("--model-version", default="", help="of the model, as its maker names it")
        parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
        parser.add_argument("--evaluate", default="", metavar="DEVICE", help="queue evaluations there, behind people")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON on the last line")
        parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes that check")

    def handle(self, *args: Any, path: Path, author: str, **options: Any) -> None:
        if not path.exists():
            raise CommandError(f"{path} is not there. Name a run folder, or a log.")
        settings = dict(one.partition("=")[::2] for one in options["setting"])
        shown = ShownProgress(
            cast(TextIO, self.stderr._out), bar=not options["json"] and self.stderr.isatty(), unit="submissions"
        )
        before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            found = do_get_author(author, Described(options["model_version"], settings), None)
            report = import_run(path, found, shown.say, options["jobs"], shown)
            wanted = do_want_evaluation(found, options["evaluate"]) if options["evaluate"] else 0
        except Refused as refused:
            raise CommandError(refused.message) from None
        finally:
            signal.signal(signal.SIGTERM, before)
            shown.close()
        if report.stopped:
            self.stderr.write("Stopped. What is counted below is stored. Run the same command again to go on.")
        elif not options["json"]:
            without = Submission.objects.filter(author=found, task=None).count()
            self.stdout.write(f"{without:,} submissions of {found.name} are of tasks whose graphs are not here")
            if options["evaluate"]:
                self.stdout.write(f"{wanted:,} wait to be evaluated on {options['evaluate']}")
        counts = report.as_json()
        words = ", ".join(f"{number} {word}" for word, number in counts.items())
        self.stdout.write(json.dumps(counts) if options["json"] else words)
        if report.stopped:
            sys.exit(_BROKEN_OFF)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
