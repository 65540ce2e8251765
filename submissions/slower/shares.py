"""How the ratios of one way are spread over cases. Pure. Ways are never put together: each has its own shares."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from submissions.slower.cases import Case, Figure
from submissions.slower.reasons import WAYS

_POINTS = 160


@dataclass(frozen=True)
class Share:
    """One way over the chosen cases: counts by speed word, ratios below 1, and the median of eager / compiler."""

    way: str
    measured: int
    slower: int
    faster: int
    same: int
    inconclusive: int
    below_one: int
    median: float | None  # None: nothing was measured
    curve: list[tuple[float, float]]  # see `curve`


def shares(cases: Sequence[Case]) -> list[Share]:
    """Each way that was measured anywhere, outermost first."""
    found = [_share(way, [case.figures[way] for case in cases if way in case.figures]) for way in WAYS]
    return [share for share in found if share.measured]


def _share(way: str, figures: Sequence[Figure]) -> Share:
    words = Counter(figure.word for figure in figures)
    ratios = sorted(figure.ratio for figure in figures)
    return Share(
        way=way,
        measured=len(ratios),
        slower=words["slower"],
        faster=words["faster"],
        same=words["same"],
        inconclusive=words["inconclusive"],
        below_one=sum(ratio < 1 for ratio in ratios),
        median=median(ratios),
        curve=curve(ratios),
    )


def median(ascending: Sequence[float]) -> float | None:
    """Of values in ascending order."""
    if not ascending:
        return None
    half = len(ascending) // 2
    return ascending[half] if len(ascending) % 2 else (ascending[half - 1] + ascending[half]) / 2


def curve(ascending: Sequence[float], most: int = _POINTS) -> list[tuple[float, float]]:
    """The empirical distribution: at most `most` of its steps, with the first and the last."""
    count = len(ascending)
    steps = min(count, most)
    places = [math.ceil((step + 1) * count / steps) - 1 for step in range(steps)]
    if places and places[0] > 0:
        places[0] = 0
    return [(ascending[place], (place + 1) / count) for place in places]
