"""The comparison of two authors that somebody asks for: who, on which benchmark, over which of its graphs."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphs.refused import Refused
from submissions.boards.board import BoardTask, Row
from submissions.boards.making import Found, find_board
from submissions.comparing.head_to_head import (
    By,
    Group,
    HeadToHead,
    TaskPair,
    breakdown,
    head_to_head,
    labels_of,
    only_both,
    reported_tally,
    task_pairs,
)
from submissions.comparing.judged import GraphPair, graph_pairs

BYS: tuple[By, ...] = ("dtype", "size", "operator")


@dataclass(frozen=True)
class Asked:
    """What the address says. Authors by number, or "eager" and "inductor"; empty ones are chosen from the board."""

    a: str = ""
    b: str = ""
    benchmark: str = ""
    context: str = ""
    device: str = ""  # instead of a context: the first of that device
    dtype: str = ""
    size: str = ""
    operator: str = ""
    by: By = "dtype"
    over: str = ""  # "both": tasks alone on which each has a result


@dataclass(frozen=True)
class Authors:
    """`pairs` are the tasks that are compared, after the filters; `choices`: what each filter can be set to."""

    found: Found
    first: Row
    second: Row
    tasks: tuple[BoardTask, ...]
    pairs: tuple[TaskPair, ...]
    head: HeadToHead
    groups: tuple[Group, ...]
    choices: dict[By, tuple[str, ...]]
    timed: bool


def compare_authors(asked: Asked) -> tuple[Found, Authors | None]:
    """None where fewer than two stand on the board. Raises Refused for keys that name nothing."""
    found = _board(asked)
    rows = () if found.board is None else tuple(row for row in found.board.rows if row.scored or row.entrant.baseline)
    if found.board is None or len(rows) < 2:
        return found, None
    first = _row(rows, asked.a) or next((row for row in rows if not row.entrant.baseline), rows[0])
    second = _row(rows, asked.b) or _other(rows, first)
    if first is second:
        message = "Both sides are the same author: nothing differs. Choose another one for B."
        raise Refused(400, "same_author", message)
    both = asked.over == "both"
    tasks, timed = found.board.tasks, found.board.timed
    if found.reported or found.context is None:
        told = only_both(_reported(first, second, len(tasks)), both)
        head = head_to_head(told, timed=True)
        return found, Authors(found, first, second, tasks, tuple(told), head, (), {}, True)
    every = graph_pairs(tasks, found.context, first, second)
    kept = [one for one in every if _fits(one, asked)]
    violations = (_violations(first), _violations(second))
    pairs = only_both(task_pairs(kept, violations, timed=timed), both)
    head = head_to_head(pairs, timed=timed)
    groups = breakdown(kept, violations, asked.by, timed=timed, both=both)
    return found, Authors(found, first, second, tasks, tuple(pairs), head, tuple(groups), _choices(every), timed)


def _board(asked: Asked) -> Found:
    found = find_board(asked.benchmark, asked.context, with_people=True)
    if asked.device and not asked.context:
        context = next((one for one in found.contexts if one.device == asked.device), None)
        if context is None:
            message = f"Nothing of this benchmark was measured on {asked.device[:60]!r}. /boards/ lists what was."
            raise Refused(404, "unknown_board", message)
        return find_board(asked.benchmark, context.key, with_people=True)
    return found


def _row(rows: Sequence[Row], key: str) -> Row | None:
    if not key:
        return None
    for row in rows:
        if key in (row.entrant.key, str(row.entrant.author)):
            return row
    message = f"No author {key[:40]!r} has a result on this board. /boards/ lists who has."
    raise Refused(404, "unknown_author", message)


def _other(rows: Sequence[Row], first: Row) -> Row:
    """The next best author; Inductor where there is no other one."""
    others = [row for row in rows if row is not first]
    return next((row for row in others if not row.entrant.baseline), others[-1])


def side_key(row: Row) -> str:
    """What an address calls a row."""
    return row.entrant.key if row.entrant.author is None else str(row.entrant.author)


def _violations(row: Row) -> set[int]:
    return {at for at, one in enumerate(row.outcomes) if one is not None and one.exploit}


def _reported(first: Row, second: Row, count: int) -> list[TaskPair]:
    scores = [[None if one is None else one.score for one in row.outcomes] for row in (first, second)]
    return [TaskPair(at, reported_tally(scores[0][at]), reported_tally(scores[1][at])) for at in range(count)]


def _fits(one: GraphPair, asked: Asked) -> bool:
    facts = one.facts
    return (
        (not asked.dtype or facts.dtype == asked.dtype)
        and (not asked.size or facts.size == asked.size)
        and (not asked.operator or asked.operator in facts.operators)
    )


def _choices(pairs: Sequence[GraphPair]) -> dict[By, tuple[str, ...]]:
    """In the order of the graphs; operators by name, since there are many."""
    found: dict[By, tuple[str, ...]] = {}
    for by in BYS:
        names = dict.fromkeys(label for one in pairs for label in labels_of(one.facts, by))
        found[by] = tuple(sorted(names))
    return found
