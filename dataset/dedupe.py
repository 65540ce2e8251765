"""Which samples of a tree are the same graph: by the bytes of model.py, and by what it computes."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphs.canonical import canonical_hash
from graphs.fx_source import parse
from graphs.problems import ReadProblem
from graphs.samples import find_samples, read_sample

REPORT = "dedupe.json"


@dataclass(frozen=True)
class Unique:
    """One graph. Folders are relative to the tree; `folder` is the first of those that hold it."""

    folder: str
    sha256: str  # of model.py's bytes
    canonical: str | None  # without names and without the order of independent nodes; None: it could not be parsed
    same_bytes: list[str] = field(default_factory=list)
    same_graph: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Duplicates:
    """The graphs of a tree. `refused` are folders that could not be read, or not parsed, with the reason."""

    samples: int
    unique: list[Unique]
    refused: dict[str, str]

    @property
    def removed_by_bytes(self) -> int:
        return sum(len(one.same_bytes) for one in self.unique)

    @property
    def removed_by_graph(self) -> int:
        """How many more the canonical hash removes, of those whose bytes are unique."""
        return sum(len(one.same_graph) for one in self.unique)

    def to_json(self) -> dict[str, Any]:
        return {
            "samples": self.samples,
            "removed_by_sha256": self.removed_by_bytes,
            "removed_by_canonical_hash": self.removed_by_graph,
            "unique": [vars(one) for one in self.unique],
            "refused": self.refused,
        }


def find_duplicates(root: Path) -> Duplicates:
    """Group the samples below `root`; of equal ones the first by path counts. Shapes and dtypes do not count."""
    return group(root, find_samples(root))


def group(root: Path, folders: Iterable[Path]) -> Duplicates:
    by_bytes: dict[str, tuple[str, list[str]]] = {}
    by_graph: dict[str, Unique] = {}
    owner: dict[str, Unique] = {}  # by the hash of the bytes
    refused: dict[str, str] = {}
    samples = 0
    for folder in folders:
        name = os.path.relpath(folder, root)
        try:
            sample = read_sample(folder)
            samples += 1
            digest = sample.content_hash
            if digest in by_bytes:
                by_bytes[digest][1].append(name)
                continue
        except ReadProblem as problem:
            refused[name] = str(problem)
            continue
        canonical = None
        try:
            canonical = canonical_hash(parse(sample.source, str(folder / "model.py")))
        except ReadProblem as problem:  # its bytes still tell it from others
            refused[name] = str(problem)
        by_bytes[digest] = (name, [])
        known = by_graph.get(canonical or digest)
        if known is None:
            known = by_graph[canonical or digest] = Unique(name, digest, canonical)
        else:
            known.same_graph.append(name)
        owner[digest] = known
    for digest, (_, copies) in by_bytes.items():
        owner[digest].same_bytes.extend(copies)
    return Duplicates(samples, list(by_graph.values()), refused)


def write_report(found: Duplicates, path: Path) -> None:
    path.write_text(json.dumps(found.to_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")
