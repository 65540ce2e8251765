"""`manage.py export_graphs FOLDER`: the folders that were imported, byte by byte."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.exporting import export_tree
from graphs.models import Task
from graphs.plain_text import plain_line


class Command(BaseCommand):
    help = "Write imported sample and task folders back to disk, with the bytes and in the tree that they came in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="the folder to write into; it is made when it is missing")
        parser.add_argument("--task", action="append", default=[], help="only this task (its slug); may be repeated")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON on the last line")

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        if path.exists() and not path.is_dir():
            raise CommandError(f"{path} is not a folder. Name a folder to write into.")
        slugs = options["task"]
        known = set(Task.objects.filter(slug__in=slugs).values_list("slug", flat=True))
        if unknown := [slug for slug in slugs if slug not in known]:
            raise CommandError(f"There is no task named {', '.join(unknown)}. The catalogue lists all tasks.")
        counted = export_tree(path, lambda text: self.stderr.write(plain_line(text)), slugs)
        counts = {word: counted[word] for word in ("exported", "unchanged", "skipped", "failed")}
        words = ", ".join(f"{number} {word}" for word, number in counts.items())
        self.stdout.write(json.dumps(counts) if options["json"] else words)
