"""Having files judged for a reward: each request once, however often it is sent."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from assistant.models import Evaluation
from assistant.reward import Kind
from evaluator.verdicts import RunState
from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.runs import do_cancel_run, do_request_run
from submissions.background import check_room
from submissions.models import Author, Lane


@dataclass(frozen=True)
class Wanted:
    """One set of files to be judged. `key` may be empty: then every request is a new one."""

    task: Task
    files: Mapping[str, str]
    device: str
    reward: Kind
    key: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of what is asked for."""
        content = json.dumps([self.task.slug, self.device, self.reward, dict(self.files)], sort_keys=True)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


@transaction.atomic
def do_evaluate(author: Author, wanted: Sequence[Wanted]) -> list[Evaluation]:
    """Queues what is new, all of it or nothing; one for each of `wanted`, in their order. Raises Refused.

    One that ended as infrastructure_error, which is our fault, is judged anew when it is asked for again.
    """
    Author.objects.select_for_update().get(pk=author.pk)
    keys = [one.key for one in wanted if one.key]
    known = {row.key: row for row in Evaluation.objects.select_related("run").filter(author=author, key__in=keys)}
    _check_keys(known, wanted)
    new = {one.key: one for one in wanted if one.key and _is_open(known.get(one.key))}
    nameless = [one for one in wanted if not one.key]
    for device in {one.device for one in (*new.values(), *nameless)}:
        check_room(author, device, sum(one.device == device for one in (*new.values(), *nameless)))
    made = {key: _begin(author, one, known.get(key)) for key, one in new.items()}
    return [made.get(one.key) or known[one.key] if one.key else _begin(author, one, None) for one in wanted]


def do_cancel(evaluation: Evaluation) -> RunState:
    """Ends it at any stage; the state that its run has now."""
    return do_cancel_run(evaluation.run)


def _check_keys(known: Mapping[str, Evaluation], wanted: Sequence[Wanted]) -> None:
    digests = {key: row.digest for key, row in known.items()}
    for one in wanted:
        if one.key and digests.setdefault(one.key, one.digest) != one.digest:
            message = f"The key {one.key!r} was used for something else. Use another key, or send the same request."
            raise Refused(409, "key_reused", message)


def _is_open(row: Evaluation | None) -> bool:
    """Whether a run has to be asked for."""
    return row is None or row.run.state == RunState.INFRASTRUCTURE_ERROR


def _begin(author: Author, one: Wanted, known: Evaluation | None) -> Evaluation:
    run = do_request_run(author, one.task, one.files, one.device, Lane.BACKGROUND)
    if known is not None:
        known.run = run
        known.save(update_fields=["run"])
        return known
    return Evaluation.objects.create(author=author, run=run, reward=one.reward, key=one.key, digest=one.digest)
