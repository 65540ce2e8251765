"""What people read about a task that was made from subgraphs: its title, and where its graphs come from."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dataset.tasks import TaskGroup

_SHOWN_OPERATORS = 5
_SHOWN_MODELS = 8
_KINDS = {
    "fusible": "Operators that fuse, or should.",
    "classical": "Operators that stand together repeatedly.",
    "single": "One operator.",
}


@dataclass(frozen=True)
class Origin:
    """Models (library/model) that the graphs come from, and their families, those with most graphs first."""

    models: tuple[str, ...]
    families: tuple[str, ...]


def task_text(task: TaskGroup, origin: Origin, chosen: str | None = None, board: str | None = None) -> dict[str, Any]:
    """What task.json holds, and the `folder` for the task. `chosen`: the list of a benchmark that it stands in,
    `board`: which benchmark that is, where it is one of its tasks."""
    names = [short(operator) for operator in task.operators]
    title = f"{shown(names)} · {task.kind}"
    models = ", ".join(origin.models[:_SHOWN_MODELS])
    more = len(origin.models) - _SHOWN_MODELS
    summary = f"{_KINDS.get(task.kind, '')} From {models}{f' and {more} more models' if more > 0 else ''}"
    in_list = {"benchmark": "Stands in the benchmark.", "held-out": "Kept apart from the benchmark."}
    facts = [f"Families: {', '.join(origin.families)}.", f"Operators: {len(names)}.", in_list.get(chosen or "", "")]
    words = "-".join(dict.fromkeys(names))[:40].strip("-_")
    return {
        "folder": f"{task.kind}-{words}-{task.id[:8]}",
        "title": title[:200],
        "summary": summary[:500],
        "description": " ".join(fact for fact in facts if fact),
        "id": task.id,
        "kind": task.kind,
        "models": list(origin.models),
        "families": list(origin.families),
        **({"list": chosen} if chosen else {}),
        **({"benchmarks": [board]} if board else {}),
    }


def short(operator: str) -> str:
    """The last part of an operator's name: "torch.nn.functional.gelu" and ".gelu" are both gelu."""
    parts = [part for part in operator.split(".") if part]
    last = parts[-1] if parts else operator
    return parts[-2] if last in ("default", "Tensor", "Scalar", "int", "dim") and len(parts) > 1 else last


def shown(names: list[str]) -> str:
    """The first operators in order, repeats counted: "conv2d → relu ×2 → …" with how many there are."""
    runs = [(name, len(list(group))) for name, group in groupby(names)]
    head = " → ".join(name if count == 1 else f"{name} ×{count}" for name, count in runs[:_SHOWN_OPERATORS])
    return head if len(runs) <= _SHOWN_OPERATORS else f"{head} → … ({len(names)} operators)"
