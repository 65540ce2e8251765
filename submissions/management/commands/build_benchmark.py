"""`manage.py build_benchmark --size 200 --seed 0`: choose tasks of the catalogue for a benchmark, into a manifest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dataset.benchmark import Candidate, build, write_manifest
from dataset.tasks import operator_sequence
from graphs.fx_source import parse
from graphs.models import Task
from graphs.problems import ReadProblem


class Command(BaseCommand):
    help = "Choose tasks of the catalogue for a benchmark: those that cover most operator bigrams, the rare ones first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--size", type=int, default=200, metavar="K", help="tasks of the benchmark (default: 200)")
        parser.add_argument("--seed", type=int, default=0, metavar="S", help="decides between equals (default: 0)")
        parser.add_argument("--held-out", type=int, metavar="N", help="tasks kept apart (default: a quarter of K)")
        parser.add_argument("--kind", default="fusible", help="kind of their graphs, or `all` (default: fusible)")
        parser.add_argument("--out", type=Path, default=Path("benchmark.json"), help="default: benchmark.json")

    def handle(
        self, *args: Any, size: int, seed: int, held_out: int | None, kind: str, out: Path, **options: Any
    ) -> None:
        candidates = list(_candidates(None if kind == "all" else kind))
        if not candidates:
            raise CommandError(f"The catalogue has no task of kind {kind}: import some, or give --kind all.")
        try:
            manifest = build(candidates, size, seed, size // 4 if held_out is None else held_out)
        except ValueError as problem:
            raise CommandError(str(problem)) from None
        write_manifest(manifest, out)
        self.stdout.write(
            f"{out}: {len(manifest['benchmark'])} of {len(candidates)} tasks, {len(manifest['held_out'])} held out, "
            f"{manifest['bigrams_covered']} of {manifest['bigrams']} operator bigrams covered"
        )


def _candidates(kind: str | None) -> Iterator[Candidate]:
    """One for each task, named by its content, so that two catalogues with the same tasks give the same manifest.

    The operators are those of the task's first graph; a task whose first graph can not be parsed is passed over.
    """
    for task in Task.objects.order_by("content_hash", "slug").iterator(chunk_size=200):
        entry = task.entries.select_related("graph__source").first()
        if entry is None:
            continue
        sample = entry.graph.as_sample(entry.name)
        found = str(sample.graph_net.get("subgraph_kind", "whole"))
        if kind not in (None, found):
            continue
        try:
            operators = operator_sequence(parse(sample.source))
        except ReadProblem:
            continue
        facts = {"slug": task.slug, "kind": found, "graphs": task.graph_count}
        yield Candidate(task.content_hash, operators, facts)
