"""PassNet samples on disk: one graph in one folder, read without ever executing it, and written so that it reads back.

The readers of whole tasks and of pass folders live in `graphs.task_folders`; their names are also found here.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphs.metas import TensorMeta, read_metas, write_metas
from graphs.problems import ReadProblem, TooLarge
from graphs.safe_files import decode, read_bytes, read_text
from graphs.sample_json import sample_fields_from_json, sample_fields_to_json
from graphs.task_folders import TaskFolder, is_task, read_pass_dir, read_task

__all__ = [
    "ReadProblem",
    "Sample",
    "TaskFolder",
    "TensorMeta",
    "TooLarge",
    "find_samples",
    "is_sample",
    "is_task",
    "read_pass_dir",
    "read_sample",
    "read_task",
    "sample_from_json",
    "sample_to_json",
    "write_sample",
]

MAX_MODEL_BYTES = 64 << 20
MAX_META_BYTES = 64 << 20
MAX_SMALL_BYTES = 8 << 20


@dataclass(frozen=True)
class Sample:
    """One graph: its code, its inputs, where it comes from. Nothing here has been parsed as a graph yet."""

    name: str  # the folder's name
    source: str  # model.py
    inputs: tuple[TensorMeta, ...]  # weight_meta.py
    model_inputs: tuple[TensorMeta, ...] = ()  # input_meta.py
    graph_net: dict[str, Any] = field(default_factory=dict)  # graph_net.json with every key that it has
    content_hash: str = ""  # SHA-256 (hex) of the bytes of model.py
    stored_hash: str | None = None  # what graph_hash.txt says
    constraints: str | None = None  # input_tensor_constraints.py as text
    subgraph_sources: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()

    def meta(self, name: str) -> TensorMeta | None:
        """The tensor behind the graph input `name`."""
        return next((meta for meta in (*self.inputs, *self.model_inputs) if meta.name == name), None)


def hash_source(source: str) -> str:
    """SHA-256 (hex) of the bytes of model.py."""
    return hashlib.sha256(source.encode()).hexdigest()


def read_sample(folder: Path) -> Sample:
    """Read a sample folder. Raises ReadProblem (TooLarge for a file beyond the size limits)."""
    if not folder.is_dir():
        raise ReadProblem(str(folder), None, "is not a folder")
    content = read_bytes(folder, "model.py", MAX_MODEL_BYTES)
    if content is None:
        raise ReadProblem(str(folder / "model.py"), None, "is missing: a sample needs model.py and weight_meta.py")
    warnings: list[str] = []
    content_hash = hashlib.sha256(content).hexdigest()
    return Sample(
        name=folder.name or folder.resolve().name,
        source=decode(content, str(folder / "model.py")),
        inputs=_metas(folder, "weight_meta.py", warnings, required=True),
        model_inputs=_metas(folder, "input_meta.py", warnings, required=False),
        graph_net=_graph_net(folder, warnings),
        content_hash=content_hash,
        stored_hash=_stored_hash(folder, content_hash, warnings),
        constraints=read_text(folder, "input_tensor_constraints.py", MAX_SMALL_BYTES),
        subgraph_sources=_json_object(folder, "subgraph_sources.json"),
        warnings=tuple(warnings),
    )


def write_sample(sample: Sample, folder: Path) -> None:
    """Write a sample folder (made when missing) that `read_sample` reads back as an equal sample.

    The bytes of model.py are kept exactly; graph_hash.txt is written anew from them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.py").write_bytes(sample.source.encode())
    (folder / "graph_hash.txt").write_text(hash_source(sample.source))
    (folder / "weight_meta.py").write_text(write_metas(sample.inputs), "utf-8", newline="\n")
    (folder / "input_meta.py").write_text(write_metas(sample.model_inputs), "utf-8", newline="\n")
    _write_json(folder / "graph_net.json", sample.graph_net)
    if sample.constraints is not None:
        (folder / "input_tensor_constraints.py").write_bytes(sample.constraints.encode())
    if sample.subgraph_sources is not None:
        _write_json(folder / "subgraph_sources.json", sample.subgraph_sources)


def is_sample(folder: Path) -> bool:
    """Whether the folder looks like a sample (whether it can be read is another matter)."""
    return (folder / "model.py").is_file() and any(
        (folder / name).is_file() for name in ("weight_meta.py", "graph_net.json")
    )


def find_samples(root: Path) -> Iterator[Path]:
    """Sample folders at any depth below `root` (and `root` itself), sorted by path; links are not followed."""
    for path, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        if "model.py" in files and ("weight_meta.py" in files or "graph_net.json" in files):
            yield Path(path)


def sample_to_json(sample: Sample) -> dict[str, Any]:
    """A JSON object of a sample; inf and nan become texts."""
    return sample_fields_to_json(sample)


def sample_from_json(value: dict[str, Any]) -> Sample:
    """The sample back from `sample_to_json`. Raises KeyError or TypeError for another object."""
    return Sample(**sample_fields_from_json(value))


def _metas(folder: Path, name: str, warnings: list[str], *, required: bool) -> tuple[TensorMeta, ...]:
    text = read_text(folder, name, MAX_META_BYTES)
    if text is None:
        if required:
            raise ReadProblem(str(folder / name), None, "is missing: a sample needs model.py and weight_meta.py")
        return ()
    found = read_metas(text, str(folder / name))
    warnings += found.warnings
    return tuple(found.metas)


def _graph_net(folder: Path, warnings: list[str]) -> dict[str, Any]:
    value = _json_object(folder, "graph_net.json")
    if value is None:
        warnings.append(f"{folder / 'graph_net.json'}: is missing, so the origin of the graph is not known")
    return value or {}


def _json_object(folder: Path, name: str) -> dict[str, Any] | None:
    text = read_text(folder, name, MAX_SMALL_BYTES)
    if text is None:
        return None
    file = str(folder / name)
    try:
        # Infinity and NaN are kept as texts: they are not JSON, and a browser would stumble over them
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=str)
    except json.JSONDecodeError as error:
        raise ReadProblem(file, error.lineno, f"is not JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise ReadProblem(file, None, f"is not JSON that can be read: {error}") from error
    if not isinstance(value, dict):
        raise ReadProblem(file, 1, f"must be a JSON object, not {type(value).__name__}")
    return value


def _stored_hash(folder: Path, content_hash: str, warnings: list[str]) -> str | None:
    text = read_text(folder, "graph_hash.txt", MAX_SMALL_BYTES)
    if text is None:
        return None
    stored = text.removeprefix("\ufeff").strip().lower()
    if stored != content_hash:
        shown = stored if len(stored) <= 64 else stored[:61] + "..."
        warnings.append(
            f"{folder / 'graph_hash.txt'}: says {shown or 'nothing'}, but model.py hashes to {content_hash}: "
            "model.py was changed after the hash was taken"
        )
    return stored


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=4, ensure_ascii=False) + "\n", "utf-8", newline="\n")
