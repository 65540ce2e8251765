"""Strengths of players from who won against whom: Bradley and Terry's model."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from submissions.statistics.intervals import Estimate, Z

_ROUNDS = 10_000  # of the iteration below; it converges in far fewer


def bradley_terry(wins: Mapping[tuple[Hashable, Hashable], float], prior: float = 0.0) -> dict[Any, Estimate]:
    """Strength of each player as a natural logarithm; they sum to zero, and i beats j with the odds exp(sᵢ − sⱼ).

    `wins[i, j]` is how often i beat j; half a win each is a tie. `prior` adds so many wins each way between any two,
    which keeps those who never lost finite. Intervals are Wald's, from the observed information.

    Raises ValueError where the strengths do not exist: the players fall apart in two groups of which one never lost to
    the other (Ford's condition).
    """
    players = sorted({player for pair in wins for player in pair}, key=str)
    count = len(players)
    place = {player: at for at, player in enumerate(players)}
    table = [[prior if row != column else 0.0 for column in range(count)] for row in range(count)]
    for (winner, loser), number in wins.items():
        if winner == loser or number < 0:
            raise ValueError("somebody plays against themselves, or a number of wins is negative")
        table[place[winner]][place[loser]] += number
    if not _all_connected(table):
        raise ValueError("some players never lost to the others, or never met them: give a prior above 0")
    strength = _most_likely(table)
    spread = _standard_errors(table, strength)
    return {
        player: Estimate(strength[at], strength[at] - Z * spread[at], strength[at] + Z * spread[at])
        for player, at in place.items()
    }


def _all_connected(table: Sequence[Sequence[float]]) -> bool:
    """Whether every player is reached from every other along wins."""
    return all(
        len(_reached(table, backwards)) == len(table) for backwards in (False, True)
    )  # from the first one, and to it


def _reached(table: Sequence[Sequence[float]], backwards: bool) -> set[int]:
    seen: set[int] = set()
    waiting = [0] if table else []
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            others = range(len(table))
            waiting += [other for other in others if (table[other][here] if backwards else table[here][other]) > 0]
    return seen


def _most_likely(table: Sequence[Sequence[float]]) -> list[float]:
    """Zermelo's iteration as Newman writes it (2023), which converges much faster than the classical one."""
    count = len(table)
    odds = [1.0] * count
    for _ in range(_ROUNDS):
        moved = 0.0
        for i in range(count):
            others = [j for j in range(count) if j != i]
            above = math.fsum(table[i][j] * odds[j] / (odds[i] + odds[j]) for j in others)
            below = math.fsum(table[j][i] / (odds[i] + odds[j]) for j in others)
            new = above / below if others else 1.0
            moved = max(moved, abs(math.log(new / odds[i])))
            odds[i] = new
        middle = math.exp(math.fsum(map(math.log, odds)) / count) if count else 1.0
        odds = [value / middle for value in odds]
        if moved < 1e-12:
            break
    return [math.log(value) for value in odds]


def _standard_errors(table: Sequence[Sequence[float]], strength: Sequence[float]) -> list[float]:
    """Square roots of the diagonal of the information's pseudo-inverse, as the strengths sum to zero.

    Adding 1/n everywhere makes the matrix regular: its inverse is then the pseudo-inverse plus 1/n everywhere.
    """
    count = len(table)
    if count < 2:
        return [0.0] * count
    matrix = [[1 / count] * count for _ in range(count)]
    for i in range(count):
        for j in range(count):
            if i != j:
                win = 1 / (1 + math.exp(strength[j] - strength[i]))
                weight = (table[i][j] + table[j][i]) * win * (1 - win)
                matrix[i][i] += weight
                matrix[i][j] -= weight
    inverse = _inverse(matrix)
    return [math.sqrt(max(0.0, inverse[at][at] - 1 / count)) for at in range(count)]


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Gauss and Jordan, with the largest pivot of each column."""
    count = len(matrix)
    rows = [[*row, *(1.0 if at == place else 0.0 for at in range(count))] for place, row in enumerate(matrix)]
    for column in range(count):
        pivot = max(range(column, count), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [value / scale for value in rows[column]]
        for row in range(count):
            if row != column and (factor := rows[row][column]):
                rows[row] = [value - factor * own for value, own in zip(rows[row], rows[column], strict=True)]
    return [row[count:] for row in rows]
