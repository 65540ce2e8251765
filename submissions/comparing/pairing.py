"""Which two submissions a person judges next, without knowing whose they are."""

import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from evaluator.verdicts import Integrity, RunState
from submissions.access import may_read_work
from submissions.models import Author, BlindVote, Run, Submission


@dataclass(frozen=True)
class Candidate:
    """One submission on a task, by the key that /compare/ has for it. `hash` is that of its files."""

    key: str
    author: int
    hash: str


@dataclass(frozen=True)
class Drawn:
    """Two of one task: its row, or what run folders call it."""

    task: int | str
    first: Candidate
    second: Candidate


def draw_pair(voter: Author) -> Drawn | None:
    """A pair that the voter has not seen, of work that they may read and that is not theirs; None when there is none.

    Half of the time one that somebody else has judged once, so that agreement can be told, else the least judged.
    """
    pairs = _pairs(_candidates(voter))
    seen = set(BlindVote.objects.filter(voter=voter).values_list("pair__first_key", "pair__second_key"))
    fresh = [one for one in pairs if (one.first.key, one.second.key) not in seen]
    if not fresh:
        return None
    judged = BlindVote.objects.exclude(voted_at=None).values_list("pair__first_key", "pair__second_key")
    votes = Counter(judged)
    once = [one for one in fresh if votes[one.first.key, one.second.key] == 1]
    if once and secrets.randbelow(2):
        return secrets.choice(once)
    least = min(votes[one.first.key, one.second.key] for one in fresh)
    return secrets.choice([one for one in fresh if votes[one.first.key, one.second.key] == least])


def _pairs(by_task: dict[int | str, list[Candidate]]) -> list[Drawn]:
    """Those of different authors whose files differ."""
    return [
        Drawn(task, *sorted(two, key=lambda one: one.key))
        for task, own in by_task.items()
        for two in combinations(own, 2)
        if two[0].author != two[1].author and two[0].hash != two[1].hash
    ]


def _candidates(voter: Author) -> dict[int | str, list[Candidate]]:
    """Of each author the newest submission on each task, without violations and what can not be read. Four queries."""
    handed = Submission.objects.filter(problem="").order_by("pk")
    submissions = list(handed.values_list("pk", "author_id", "task_id", "task_name", "hash", "revision_id"))
    done = Run.objects.filter(state=RunState.DONE, baseline_run=None, correct__isnull=False).order_by("created_at")
    runs = list(
        done.values_list("pk", "author_id", "task_id", "revision_id", "revision__hash", "verdict", "reviewed_verdict")
    )
    readable = _readable(voter, {one[1] for one in submissions} | {one[1] for one in runs})
    cheats = {one[3] for one in runs if (one[6] or one[5]) == Integrity.VIOLATION}
    newest: dict[tuple[int | str, int], Candidate] = {}
    imported = set()
    for pk, author, task, name, digest, revision in submissions:
        imported.add(revision)
        if author in readable and revision not in cheats:
            newest[task or name, author] = Candidate(f"s{pk}", author, digest)
    for run, author, task, revision, digest, verdict, reviewed in runs:
        honest = (reviewed or verdict) != Integrity.VIOLATION
        if author in readable and honest and revision not in imported:
            newest[task, author] = Candidate(str(run), author, digest)
    found: dict[int | str, list[Candidate]] = defaultdict(list)
    for (where, _), one in newest.items():
        found[where].append(one)
    return found


def _readable(voter: Author, ids: Iterable[int]) -> set[int]:
    authors = Author.objects.filter(pk__in=list(ids)).exclude(pk=voter.pk)
    return {one.pk for one in authors if may_read_work(voter, one)}
