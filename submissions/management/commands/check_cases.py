"""`manage.py check_cases`: judges the regression cases of the review queue with the harness as it is now."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluator.harness import harness_hash
from graphs.refused import Refused
from submissions.models import RegressionCase
from submissions.reviewing.case_files import write_case
from submissions.reviewing.cases import differences
from submissions.safe_json import safe_json

_LONGEST = 3600.0  # seconds of one case


class Command(BaseCommand):
    help = (
        "Judge regression cases as `python -m evaluator run` does, and say where the harness does not agree with what "
        "was expected. With --export they are written as folders instead, in the layout of the acceptance cases."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="*", help="only these cases")
        parser.add_argument("--device", default="cpu", help="cpu or cuda")
        parser.add_argument("--export", type=Path, metavar="FOLDER", help="write tasks/ and submissions/ there")
        parser.add_argument("--json", action="store_true", help="print one JSON object for each case")

    def handle(self, *args: Any, names: list[str], **options: Any) -> None:
        rows = RegressionCase.objects.select_related("revision__task").order_by("pk")
        cases = list(rows.filter(name__in=names) if names else rows)
        missing = set(names) - {case.name for case in cases}
        if missing:
            raise CommandError(f"There is no case {', '.join(sorted(missing))}. /review/cases/ lists those there are.")
        if options["export"] is not None:
            for case in cases:
                _write(case, options["export"])
            self.stdout.write(f"{len(cases)} cases written to {options['export']}")
            return
        agree = sum(self._check(case, options["device"], options["json"]) for case in cases)
        if not options["json"]:
            self.stdout.write(f"{agree} of {len(cases)} cases are judged as expected")
        if agree < len(cases):
            sys.exit(1)

    def _check(self, case: RegressionCase, device: str, as_json: bool) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            task, pass_dir = _write(case, Path(folder))
            found = differences(case.expected, _judge(task, pass_dir, device))
        case.differences = safe_json(found)
        case.checked_at, case.checked_on, case.harness = timezone.now(), device[:60], harness_hash()
        case.save(update_fields=["differences", "checked_at", "checked_on", "harness"])
        if as_json:
            self.stdout.write(json.dumps({"case": case.name, "agrees": not found, "differences": found}))
        else:
            self.stdout.write(f"{case.name}: {'as expected' if not found else '; '.join(found)}")
        return not found


def _write(case: RegressionCase, folder: Path) -> tuple[Path, Path]:
    try:
        return write_case(case, folder)
    except Refused as refused:
        raise CommandError(refused.message) from None


def _judge(task: Path, pass_dir: Path, device: str) -> dict[str, Any]:
    """The last line of the evaluator. Raises CommandError where it could not judge at all."""
    command = [sys.executable, "-m", "evaluator", "run", str(task), str(pass_dir), "--device", device, "--json"]
    try:
        done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        raise CommandError(f"{pass_dir} took more than {_LONGEST:.0f} s: the evaluator hangs.") from None
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise CommandError(
            f"The evaluator could not judge (exit status {done.returncode}): {done.stderr.strip()[-500:]}"
        )
    said: dict[str, Any] = json.loads(lines[-1])
    return said
