"""What people said to pairs without names: ratings of authors, how far voters agree, and why one was better."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from submissions.comparing.blind import REASONS
from submissions.comparing.shown import estimate_json
from submissions.models import Author, BlindVote
from submissions.statistics import Agreement, Estimate, agreement, bradley_terry

PRIOR = 0.5  # wins each way between any two, so that whoever never lost has a finite rating
_READ = ("pair_id", "voter_id", "pair__first_author_id", "pair__second_author_id", "swapped", "choice", "reasons")
MIDDLE, SCALE = 1000.0, 400 / math.log(10)  # as in chess: 400 points are odds of ten to one


@dataclass(frozen=True)
class Rated:
    """`rating` is on the scale of chess, around 1000. `reasons`: how often each was given for a win."""

    author: Author
    rating: Estimate
    won: int
    lost: int
    both_good: int
    both_bad: int
    reasons: tuple[int, ...]

    @property
    def votes(self) -> int:
        return self.won + self.lost + self.both_good + self.both_bad


@dataclass(frozen=True)
class Ratings:
    rows: tuple[Rated, ...]  # the highest first
    agreement: Agreement
    votes: int
    voters: int
    left: int  # votes for the left side, of those that chose one: far from half of `sided` tells of a habit
    sided: int


def ratings() -> Ratings:
    """Of all votes. Both good and both bad are half a win each. Two queries."""
    votes = list(
        BlindVote.objects.exclude(voted_at=None)
        .order_by("pk")
        .values_list(
            "pair_id", "voter_id", "pair__first_author_id", "pair__second_author_id", "swapped", "choice", "reasons"
        )
    )
    wins: dict[tuple[Hashable, Hashable], float] = defaultdict(float)
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    answers: dict[int, list[str]] = defaultdict(list)
    for pair, _, first, second, swapped, choice, reasons in votes:
        word = _of_pair(choice, swapped)
        answers[pair].append(word)
        if word in ("first", "second"):
            winner, loser = (first, second) if word == "first" else (second, first)
            wins[winner, loser] += 1
            counts[winner].update(["won", *(f"why {one}" for one in reasons)])
            counts[loser]["lost"] += 1
        else:
            wins[first, second] += 0.5
            wins[second, first] += 0.5
            counts[first][word] += 1
            counts[second][word] += 1
    strengths = bradley_terry(wins, PRIOR) if wins else {}
    authors = Author.objects.in_bulk(strengths)
    rows = [_rated(authors[pk], strength, counts[pk]) for pk, strength in strengths.items() if pk in authors]
    rows.sort(key=lambda row: (-row.rating.value, row.author.name.casefold()))
    sided = [vote[5] for vote in votes if vote[5] in (BlindVote.Choice.LEFT, BlindVote.Choice.RIGHT)]
    return Ratings(
        rows=tuple(rows),
        agreement=agreement(answers.values()),
        votes=len(votes),
        voters=len({vote[1] for vote in votes}),
        left=sided.count(BlindVote.Choice.LEFT),
        sided=len(sided),
    )


def _of_pair(choice: str, swapped: bool) -> str:
    """A vote in the words of the pair, however its sides stood: "first", "second", "both_good", "both_bad"."""
    if choice not in (BlindVote.Choice.LEFT, BlindVote.Choice.RIGHT):
        return choice
    return "first" if (choice == BlindVote.Choice.LEFT) != swapped else "second"


def _rated(author: Author, strength: Estimate, counts: Counter[str]) -> Rated:
    value, low, high = (MIDDLE + SCALE * one for one in (strength.value, strength.low, strength.high))
    return Rated(
        author=author,
        rating=Estimate(value, low, high),
        won=counts["won"],
        lost=counts["lost"],
        both_good=counts["both_good"],
        both_bad=counts["both_bad"],
        reasons=tuple(counts[f"why {one}"] for one in REASONS),
    )


def ratings_json(found: Ratings) -> dict[str, Any]:
    """As the API gives them."""
    agreed = found.agreement
    return {
        "votes": found.votes,
        "voters": found.voters,
        "left": found.left,
        "sided": found.sided,
        "agreement": {
            "pairs_judged_twice": agreed.things,
            "share": estimate_json(agreed.share),
            "alpha": agreed.alpha,
        },
        "authors": [dict(zip(COLUMNS, line, strict=True)) for line in lines(found)],
    }


COLUMNS = ("author", "kind", "version", "rating", "low", "high", "won", "lost", "both_good", "both_bad", *REASONS)


def lines(found: Ratings) -> list[list[Any]]:
    """A line for each author, for the CSV."""
    found_lines = []
    for one in found.rows:
        line: list[Any] = [one.author.name, one.author.kind, one.author.version]
        line += [one.rating.value, one.rating.low, one.rating.high]
        line += [one.won, one.lost, one.both_good, one.both_bad, *one.reasons]
        found_lines.append(line)
    return found_lines
