"""How far people who judge the same things agree."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from submissions.statistics.intervals import Estimate, wilson


@dataclass(frozen=True)
class Agreement:
    """`share` of the pairs of votes on one thing that are the same, over `things` with at least two votes. `alpha` is
    Krippendorff's for names: 1 all agree, 0 as by chance; None where nothing, or only one answer, was given."""

    things: int
    pairs: int
    share: Estimate | None
    alpha: float | None


def agreement(votes: Iterable[Sequence[Hashable]]) -> Agreement:
    """`votes`: for each thing the answers it was given. Things with fewer than two are left out."""
    judged = [list(answers) for answers in votes if len(answers) > 1]
    pairs = [(one, other) for answers in judged for one, other in combinations(answers, 2)]
    same = sum(one == other for one, other in pairs)
    share = wilson(same, len(pairs)) if pairs else None
    return Agreement(len(judged), len(pairs), share, _alpha(judged))


def _alpha(judged: Sequence[Sequence[Hashable]]) -> float | None:
    """1 − observed / expected disagreement; each answer weighs the same however many a thing was given."""
    counts: Counter[Hashable] = Counter(answer for answers in judged for answer in answers)
    total = sum(counts.values())
    expected = total * total - sum(count * count for count in counts.values())
    if expected == 0:
        return None
    observed = sum(
        (len(answers) ** 2 - sum(count * count for count in Counter(answers).values())) / (len(answers) - 1)
        for answers in judged
    )
    return 1 - (total - 1) * observed / expected
