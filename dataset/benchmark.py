"""A benchmark of k tasks: greedy coverage of operator bigrams, the rare ones first. Deterministic, needs no torch.

A Markov model of first order is counted from all tasks: p(a) how often an operator stands anywhere, p(b|a) how often b
follows a. A bigram weighs −log₂ p(a)·p(b|a). The task that adds most weight of bigrams not covered yet is taken next;
when none adds any, coverage starts anew. The seed decides between equals.
"""

import hashlib
import heapq
import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dataset.tasks import INDEX

FORMAT = "benchmark 1"
START, END = "^", "$"

Bigram = tuple[str, str]
Operators = tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A task that may be chosen. `facts` go into the manifest as they are."""

    id: str
    operators: Operators
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    candidate: Candidate
    gain: float  # weight of the bigrams that it added


def bigrams(operators: Operators) -> list[Bigram]:
    """Each operator with the next one, and the ends of the sequence."""
    return list(itertools.pairwise((START, *operators, END)))


def weights(sequences: Iterable[Operators]) -> dict[Bigram, float]:
    """−log₂ of how likely the Markov model of the sequences makes each bigram."""
    pairs = Counter(itertools.chain.from_iterable(map(bigrams, sequences)))
    total = pairs.total()
    return {pair: -math.log2(count / total) for pair, count in pairs.items()}  # p(a) · p(b|a) = n(a,b) / N


def choose(candidates: Sequence[Candidate], size: int, seed: int, weigh: dict[Bigram, float]) -> list[Choice]:
    """Up to `size` candidates, one for each operator sequence, in the order in which they were taken."""
    ordered = sorted(candidates, key=lambda one: (hashlib.sha256(f"{seed} {one.id}".encode()).digest(), one.id))
    left = list({one.operators: one for one in reversed(ordered)}.values())[::-1]
    sets = {one.id: set(bigrams(one.operators)) for one in left}
    chosen: list[Choice] = []
    while left and len(chosen) < size:
        taken = _cover(left, size - len(chosen), sets, weigh)
        chosen += taken
        done = {choice.candidate.id for choice in taken}
        left = [one for one in left if one.id not in done]
    return chosen


def build(candidates: Sequence[Candidate], size: int, seed: int, held_out: int = 0) -> dict[str, Any]:
    """The manifest: `benchmark` and `held_out` tasks, and `training`, the ids of those that share no operator sequence
    with either; `excluded` do. Raises ValueError for a size below one."""
    if size < 1 or held_out < 0:
        raise ValueError("a benchmark has at least one task")
    weigh = weights(one.operators for one in candidates)
    chosen = choose(candidates, size, seed, weigh)
    taken = {choice.candidate.operators for choice in chosen}
    others = [one for one in candidates if one.operators not in taken]
    apart = choose(others, held_out, seed, weigh)
    kept_apart = taken | {choice.candidate.operators for choice in apart}
    ids = {choice.candidate.id for choice in [*chosen, *apart]}
    rest = [one for one in candidates if one.id not in ids]
    covered = set(itertools.chain.from_iterable(bigrams(operators) for operators in taken))
    return {
        "format": FORMAT,
        "size": size,
        "seed": seed,
        "tasks": len(candidates),
        "bigrams": len(weigh),
        "bigrams_covered": len(covered),
        "weight_covered": round(sum(map(weigh.__getitem__, covered)) / (sum(weigh.values()) or 1), 6),
        "benchmark": [_entry(choice) for choice in chosen],
        "held_out": [_entry(choice) for choice in apart],
        "training": sorted(one.id for one in rest if one.operators not in kept_apart),
        "excluded": sorted(one.id for one in rest if one.operators in kept_apart),
    }


def read_candidates(folder: Path, kind: str | None) -> list[Candidate]:
    """The tasks that `group` wrote to `folder`, of one kind or of all. Raises OSError, ValueError and KeyError."""
    tasks = json.loads((folder / INDEX).read_text("utf-8"))
    return [
        Candidate(task["id"], tuple(task["operators"]), {"kind": task["kind"], "graphs": len(task["graphs"])})
        for task in tasks
        if kind is None or task["kind"] == kind
    ]


def write_manifest(manifest: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _cover(
    left: Sequence[Candidate], most: int, sets: dict[str, set[Bigram]], weigh: dict[Bigram, float]
) -> list[Choice]:
    """One round. A gain only shrinks as others are taken, so that only the front of the queue is counted anew."""
    covered: set[Bigram] = set()

    def gain(one: Candidate) -> float:
        return math.fsum(weigh[pair] for pair in sorted(sets[one.id] - covered))

    queue = [(-gain(one), place) for place, one in enumerate(left)]
    heapq.heapify(queue)
    taken: list[Choice] = []
    while queue and len(taken) < most:
        _, place = heapq.heappop(queue)
        now = gain(left[place])
        if queue and (-now, place) > queue[0]:
            heapq.heappush(queue, (-now, place))
            continue
        if now <= 0:
            break
        taken.append(Choice(left[place], now))
        covered |= sets[left[place].id]
    return taken


def _entry(choice: Choice) -> dict[str, Any]:
    one = choice.candidate
    return {"id": one.id, **one.facts, "operators": list(one.operators), "gain": round(choice.gain, 6)}
