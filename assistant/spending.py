"""What a model's attempt took to make a run, for the pages of the room below (submissions.spending)."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from assistant.models import Attempt
from submissions.models import Author, Run
from submissions.spending import Spent, Trajectory

_SPENT = ("steps", "tokens", "cost", "conversation__provider__currency")


class AttemptLedger:
    """Reads attempts; an attempt of a provider that was removed has no currency any more and counts as unpriced."""

    def trajectories(self, runs: Collection[UUID]) -> Mapping[UUID, Trajectory]:
        """By the evaluations that an attempt has kept."""
        wanted = {str(run): run for run in runs}
        tasks = Run.objects.filter(pk__in=list(runs), author__kind=Author.Kind.MODEL).values("task_id")
        found: dict[UUID, Trajectory] = {}
        for row in Attempt.objects.filter(conversation__task_id__in=tasks).values(
            *_SPENT, "exit_reason", "evaluations"
        ):
            for one in row["evaluations"]:
                run = wanted.get(str(one.get("run")))
                if run is not None:
                    found[run] = Trajectory(int(one.get("step") or 0), row["exit_reason"], _spent(row))
        return found


def _spent(row: Mapping[str, Any]) -> Spent:
    currency = row["conversation__provider__currency"]
    if row["cost"] is not None and currency:
        return Spent(row["steps"], row["tokens"], {currency: row["cost"]})
    return Spent(row["steps"], row["tokens"], {}, unpriced=bool(row["tokens"]))
