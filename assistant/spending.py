"""What models' attempts have cost, for the pages of the room below (submissions.spending)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from assistant.actions.model_authors import names_of
from assistant.models import Attempt
from submissions.models import Author, Run
from submissions.spending import Spent, Trajectory

_SUMMED = ("steps", "tokens", "cost", "conversation__provider__currency")


class AttemptLedger:
    """Reads attempts; an attempt of a provider that was removed has no currency any more and counts as unpriced."""

    def trajectories(self, runs: Collection[UUID]) -> Mapping[UUID, Trajectory]:
        """By the evaluations that an attempt has kept."""
        wanted = {str(run): run for run in runs}
        tasks = Run.objects.filter(pk__in=list(runs), author__kind=Author.Kind.MODEL).values("task_id")
        found: dict[UUID, Trajectory] = {}
        for row in Attempt.objects.filter(conversation__task_id__in=tasks).values(
            *_SUMMED, "exit_reason", "evaluations"
        ):
            for one in row["evaluations"]:
                run = wanted.get(str(one.get("run")))
                if run is not None:
                    found[run] = Trajectory(int(one.get("step") or 0), row["exit_reason"], _sum([row]))
        return found

    def of_authors(self, tasks: Collection[int]) -> Mapping[int, Spent]:
        """An attempt stands under its model's name, whoever asked for it."""
        models = {
            (one.brought_in_by_id, one.name): one.pk
            for one in Author.objects.filter(kind=Author.Kind.MODEL).exclude(brought_in_by=None)
        }
        people = ("conversation__author_id", "conversation__author__name", "conversation__provider__model")
        by_author: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for row in Attempt.objects.filter(conversation__task_id__in=list(tasks)).values(*_SUMMED, *people):
            model, person = row["conversation__provider__model"] or "", row["conversation__author_id"]
            for name in names_of(model, row["conversation__author__name"]):
                if (person, name) in models:
                    by_author[models[person, name]].append(row)
                    break
        return {author: _sum(rows) for author, rows in by_author.items()}


def _sum(rows: Iterable[Mapping[str, Any]]) -> Spent:
    own = list(rows)
    cost: dict[str, Decimal] = defaultdict(Decimal)
    unpriced = 0
    for row in own:
        currency = row["conversation__provider__currency"]
        if row["cost"] is not None and currency:
            cost[currency] += row["cost"]
        elif row["tokens"]:
            unpriced += 1
    return Spent(len(own), sum(row["steps"] for row in own), sum(row["tokens"] for row in own), dict(cost), unpriced)
