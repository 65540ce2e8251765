"""Samples grouped into tasks, as in PassBench: one operator sequence, in different shapes and dtypes. Needs no torch.

Samples with the same operators, input dtypes and shape buckets are alike, and the first of them stands for all; those
that stand for a bucket and share kind and operator sequence are one task.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphs.canonical import canonical_hash
from graphs.fx_source import FxGraph, parse
from graphs.problems import ReadProblem
from graphs.samples import Sample, find_samples, read_sample

INDEX = "tasks.json"
_BUCKET = 4  # doublings of a size that count as alike


@dataclass(frozen=True)
class Member:
    """A sample that stands for a bucket. `alike` counts the samples that it stands for, itself included."""

    folder: str  # below the tree
    identity: str  # of its code, shapes and dtypes
    dtypes: tuple[str, ...]
    alike: int


@dataclass(frozen=True)
class TaskGroup:
    """Graphs of one kind with one operator sequence. `id`: 64 hex digits, the same wherever the samples lie."""

    id: str
    kind: str
    operators: tuple[str, ...]
    members: tuple[Member, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "operators": list(self.operators),
            "graphs": [
                {"name": graph_name(place, one), "sample": one.folder, "dtypes": list(one.dtypes), "alike": one.alike}
                for place, one in enumerate(self.members)
            ],
        }


@dataclass(frozen=True)
class Grouped:
    """The tasks of a tree, by id. `refused` are folders that could not be read, or parsed, with the reason."""

    samples: int
    tasks: list[TaskGroup]
    refused: dict[str, str]


def operator_sequence(graph: FxGraph) -> tuple[str, ...]:
    """What a graph calls, in its order: "torch.relu" for a function, ".relu" for a method of a tensor."""
    calls = [node for node in graph.nodes if node.op in ("call_function", "call_method")]
    return tuple(node.target if node.op == "call_function" else f".{node.target}" for node in calls)


def shape_bucket(shape: Iterable[int]) -> tuple[int, ...]:
    """⌊log₂ d⌋ // 4 for each size d: 1 to 15 are alike, 16 to 255, 256 to 4095, … An empty dimension is −1."""
    return tuple((size.bit_length() - 1) // _BUCKET if size > 0 else -1 for size in shape)


def group(
    root: Path, folders: Iterable[Path] | None = None, *, by_code: bool = False, most: int | None = None
) -> Grouped:
    """Group the samples below `root` (or those `folders` of it); of those that are alike the first by path counts.

    `by_code`: only samples that compute the same, apart from names, are alike, and no two variants of one (`vary`) are.
    PassBench does not ask for that. Of a task's graphs the first `most` are kept.
    """
    buckets: dict[tuple[str, tuple[str, ...]], dict[Any, list[tuple[str, Sample]]]] = {}
    refused: dict[str, str] = {}
    samples = 0
    for path in sorted(find_samples(root) if folders is None else folders):
        name = path.relative_to(root).as_posix()
        try:
            sample = read_sample(path)
            graph = parse(sample.source, f"{name}/model.py")
            operators = operator_sequence(graph)
        except ReadProblem as problem:
            refused[name] = str(problem)
            continue
        samples += 1
        kind = str(sample.graph_net.get("subgraph_kind", "whole"))
        code = canonical_hash(graph) if by_code else ""
        shapes = _shapes(sample) if by_code and "shape_variant" in sample.graph_net else ()
        alike = buckets.setdefault((kind, operators), {}).setdefault((code, shapes, _bucket(sample)), [])
        alike.append((name, sample))
    tasks = [_task(kind, operators, list(alike.values())[:most]) for (kind, operators), alike in buckets.items()]
    return Grouped(samples, sorted(tasks, key=lambda task: task.id), refused)


def write_tasks(found: Grouped, root: Path, out: Path) -> None:
    """Write a task folder for each group below `out`, with copies of its samples, and the list of all, tasks.json."""
    for task in found.tasks:
        folder = out / task.id
        if folder.exists():
            shutil.rmtree(folder)
        names = [graph_name(place, one) for place, one in enumerate(task.members)]
        for name, one in zip(names, task.members, strict=True):
            target = folder / "graphs" / name
            target.mkdir(parents=True)
            for file in sorted((root / one.folder).iterdir()):
                if file.is_file():
                    shutil.copyfile(file, target / file.name)
        (folder / "graph_list.txt").write_text("".join(f"graphs/{name}\n" for name in names), "utf-8")
        (folder / "sample_uids.txt").write_text(",".join(one.identity[:32] for one in task.members), "utf-8")
    text = json.dumps([task.to_json() for task in found.tasks], indent=1, ensure_ascii=False)
    out.mkdir(parents=True, exist_ok=True)
    (out / INDEX).write_text(text + "\n", "utf-8")


def graph_name(place: int, member: Member) -> str:
    """The folder of a graph in its task: 00_float32_bert_start3_end7_0."""
    dtypes = "_".join(dict.fromkeys(member.dtypes)) or "none"
    return f"{place:02d}_{dtypes[:24]}_{member.folder.rpartition('/')[2][:80]}"


def _shapes(sample: Sample) -> tuple[tuple[int, ...], ...]:
    return tuple(meta.shape for meta in (*sample.inputs, *sample.model_inputs))


def _bucket(sample: Sample) -> Any:
    metas = (*sample.inputs, *sample.model_inputs)
    return tuple((shape_bucket(meta.shape), meta.dtype) for meta in metas)


def _task(kind: str, operators: tuple[str, ...], buckets: list[list[tuple[str, Sample]]]) -> TaskGroup:
    members = []
    for alike in buckets:
        name, sample = alike[0]
        dtypes = tuple(dict.fromkeys(meta.dtype for meta in (*sample.inputs, *sample.model_inputs)))
        members.append(Member(name, _identity(sample), dtypes, len(alike)))
    ordered = sorted(members, key=lambda one: one.identity)
    text = json.dumps([kind, operators, [one.identity for one in ordered]])
    return TaskGroup(hashlib.sha256(text.encode()).hexdigest(), kind, operators, tuple(members))


def _identity(sample: Sample) -> str:
    inputs = [[meta.name, list(meta.shape), meta.dtype] for meta in (*sample.inputs, *sample.model_inputs)]
    return hashlib.sha256(json.dumps([sample.content_hash, inputs]).encode()).hexdigest()
