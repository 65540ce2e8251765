"""Task folders on disk, and those of a benchmark's manifest in its order. Needs neither Django nor torch."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphs.archives import ArchiveLimits, unpack
from graphs.problems import ReadProblem
from graphs.samples import Sample, is_task, read_sample, read_task

_LIMITS = ArchiveLimits(members=20_000, header_bytes=64 << 20)
_LARGEST_MANIFEST = 16 << 20


class BadManifest(ValueError):
    """The file is no manifest of a benchmark; the text says why."""


@dataclass(frozen=True)
class Task:
    """A task as it lies on disk."""

    folder: Path
    samples: tuple[Sample, ...]

    @property
    def name(self) -> str:
        return self.folder.name


def unpacked(folder: Path, work: Path) -> list[Path]:
    """The task folders in `folder`, and those in the archives (*.tar.gz) there, which are unpacked into `work`. Raises
    ReadProblem, OSError."""
    roots = [folder]
    for path in sorted(folder.glob("*.tar.gz")):
        target = work / path.name.removesuffix(".tar.gz")
        unpack(path, target, _LIMITS)
        roots.append(target)
    return [child for root in roots for child in sorted(root.iterdir()) if child.is_dir() and is_task(child)]


def chosen(folders: list[Path], manifest: Path | None) -> list[Path]:
    """The folders of a manifest's benchmark in its order, or all of them. Raises BadManifest, OSError."""
    if manifest is None:
        return folders
    if manifest.stat().st_size > _LARGEST_MANIFEST:
        raise BadManifest(f"{manifest} is larger than {_LARGEST_MANIFEST >> 20} MiB")
    try:
        wanted = [str(task["id"]) for task in json.loads(manifest.read_text("utf-8"))["benchmark"]]
    except (ValueError, KeyError, TypeError) as problem:
        raise BadManifest(f"{manifest} has no list `benchmark` of tasks with an `id`") from problem
    by_id = {_identity(folder): folder for folder in folders}
    missing = [name for name in wanted if name not in by_id]
    if missing:
        raise BadManifest(f"{len(missing)} of the benchmark's {len(wanted)} tasks are not there, {missing[0]} is one")
    return [by_id[name] for name in wanted]


def read(folders: list[Path]) -> Iterator[Task | ReadProblem]:
    """Each task with its graphs, or what is wrong with it."""
    for folder in folders:
        try:
            yield Task(folder, tuple(read_sample(folder / name) for name in read_task(folder).graphs))
        except ReadProblem as problem:
            yield problem


def _identity(folder: Path) -> str:
    """The task's id in its task.json; the folder's name where it has none."""
    path = folder / "task.json"
    if path.is_file():
        try:
            return str(json.loads(path.read_text("utf-8"))["id"])
        except (ValueError, KeyError, TypeError):
            pass
    return folder.name
