"""A pair of submissions as a voter sees it: code and results of two sides, without anything that tells whose they are.

Exact figures are left out, too: with a score and the leaderboard beside it, a name is found in a moment.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.comparing.entries import Entry, choose
from submissions.models import Author, BlindVote

REASONS = ("readable", "correct", "general", "fast")
HIDDEN = "▒▒▒▒"
_TELLING = 4  # letters of a part of a name that is looked for in comments
_NOTABLE = 1.05  # a speed-up or slow-down by less is called "as fast"


@dataclass(frozen=True)
class Side:
    """`results`: graph, status, and speed in a word; empty where it was not evaluated. `author` and `key` are empty
    until the vote."""

    files: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str, str], ...]
    author: str = ""
    version: str = ""


@dataclass(frozen=True)
class Shown:
    left: Side
    right: Side
    source: str  # model.py of the task's first graph; empty where its graphs are not here
    compare: str = ""  # the address of the two beside each other, after the vote


def shown_pair(voter: Author, vote: BlindVote) -> Shown:
    """The sides of one vote. Raises Refused when a submission is gone, or the voter may not read it any more."""
    pair = vote.pair
    chosen = choose(voter, [pair.first_key, pair.second_key])
    sides = list(reversed(chosen.entries)) if vote.swapped else list(chosen.entries)
    alike = sides[0].context == sides[1].context and sides[0].hardware == sides[1].hardware
    names = [pair.first_author, pair.second_author]
    left, right = (_side(one, names, revealed=bool(vote.choice), speed=alike) for one in sides)
    first = pair.task.entries.select_related("graph__source").first() if pair.task is not None else None
    source = first.graph.source.text if first is not None else ""
    compare = f"/compare/?of={sides[0].key}&of={sides[1].key}" if vote.choice else ""
    return Shown(left, right, source, compare)


def _side(one: Entry, names: Sequence[Author], *, revealed: bool, speed: bool) -> Side:
    files = {name: text.encode("utf-8", "replace").decode() for name, text in one.files.items()}
    if not revealed:
        files = {hide(name, names): hide(text, names) for name, text in files.items()}
    results = (
        tuple(
            (name, str(said.get("status")), _speed_word(said) if speed and one.context and one.context.timed else "")
            for name, said in ((one.run.result or {}).get("graphs") or {}).items()
        )
        if one.run is not None
        else ()
    )
    listed = tuple(sorted(files.items()))
    return Side(listed, results, one.author.name, one.author.version) if revealed else Side(listed, results)


def _speed_word(said: dict[str, Any]) -> str:
    ratio = (said.get("speedup") or {}).get("e2e")
    if said.get("status") != "correct" or not isinstance(ratio, int | float):
        return ""
    return "faster than eager" if ratio > _NOTABLE else "slower than eager" if ratio < 1 / _NOTABLE else "as fast"


def hide(text: str, authors: Sequence[Author]) -> str:
    """The text without the authors' names, however their parts are joined, and in comments without the longer parts."""
    for author in authors:
        parts = [part for part in re.split(r"[\W_]+", author.name) if part]
        if parts:
            whole = r"[\W_]{0,3}".join(map(re.escape, parts))
            text = re.sub(rf"(?<![^\W_]){whole}(?![^\W_])", HIDDEN, text, flags=re.IGNORECASE)
        telling = [re.escape(part) for part in parts if len(part) >= _TELLING and not part.isdigit()]
        if telling:
            pattern = re.compile(rf"({'|'.join(telling)})", re.IGNORECASE)
            text = re.sub(r"#.*", lambda found, pattern=pattern: pattern.sub(HIDDEN, found[0]), text)  # type: ignore[misc]
    return text
