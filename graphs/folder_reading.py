"""One sample or task folder, read with everything that the database keeps of it. Needs neither Django nor torch: it
runs in the processes of `graphs.reading_pool`. Nothing of the folder is executed."""

import hashlib
import json
import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from graphs.folder_facets import Facets, folder_facets
from graphs.identity import canonical, hash_of
from graphs.packing import pack
from graphs.plain_text import plain_line
from graphs.prepared import PreparedGraph, TaskText, prepare_graph
from graphs.problems import ReadProblem
from graphs.safe_files import read_bytes
from graphs.samples import MAX_MODEL_BYTES, MAX_SMALL_BYTES, read_pass_dir, read_sample, read_task
from graphs.tree import Found
from graphs.variants import Variant, variant

_READER = "1"  # raised when the same bytes are to be read anew, because they would become something else
_MOST_FILES = 64  # directly in one folder; no format has a tenth of it
_SAMPLE_FILES = ("model.py", "weight_meta.py", "input_meta.py")  # may be large


@dataclass
class ReadFolder:
    """What became of a folder. `failed`: nothing of it is to be stored, and `said` has the reason as `file:line: why`.

    `is_known`: its content is stored already, so that it was not parsed.
    """

    path: str  # relative to the tree
    digest: str = ""
    is_known: bool = False
    failed: bool = False
    said: list[str] = field(default_factory=list)
    name: str = ""
    variant: Variant = field(default_factory=Variant)
    text: TaskText = field(default_factory=lambda: TaskText(""))
    facets: Facets = field(default_factory=dict)
    graphs: list[tuple[str, PreparedGraph]] = field(default_factory=list)  # name in the task, graph
    example_files: dict[str, str] | None = None
    files: dict[str, str] = field(default_factory=dict)  # relative name → SHA-256 of the bytes
    contents: dict[str, bytes] = field(default_factory=dict)  # SHA-256 → packed; model.py is the graph's source

    @property
    def key(self) -> str:
        """Names this content at this place."""
        return hash_of([self.path, self.digest])

    @property
    def size(self) -> int:
        """Bytes that are to be written, about."""
        parts = ((g.packed_source, g.packed_sample, g.packed_layout or b"", g.drawn) for _, g in self.graphs)
        return sum(len(part) for graph in parts for part in graph) + sum(map(len, self.contents.values()))


@dataclass(frozen=True)
class Reading:
    """What holds for all folders of an import."""

    root: Path
    origin: str
    known: frozenset[str] = frozenset()  # digests of the folders that are stored


def read_folder(found: Found, reading: Reading) -> ReadFolder:
    """Reads a folder that `graphs.tree` found. Raises nothing for whatever the folder holds."""
    folder = ReadFolder(found.relative)
    try:
        _Folder(found, reading, folder).read()
    except ReadProblem as problem:
        folder.failed = True
        folder.said.append(str(problem))
    except (MemoryError, RecursionError) as error:
        folder.failed = True
        folder.said.append(f"{found.path}: can not be read: it needs too much memory ({type(error).__name__})")
    except Exception as error:
        folder.failed = True
        folder.said.append(f"{found.path}: can not be read: {type(error).__name__}: {error}. Please report this.")
    return folder


class _Folder:
    def __init__(self, found: Found, reading: Reading, folder: ReadFolder) -> None:
        self.path = found.path
        self.is_task = found.is_task
        self.reading = reading
        self.folder = folder
        self._nets: list[dict[str, Any]] = []  # graph_net.json of each graph

    def read(self) -> None:
        folder = self.folder
        folder.variant = variant(self.path)
        folder.name = self.path.resolve().name if self.path.name in ("", "..") else self.path.name
        task = read_task(self.path, self.reading.root) if self.is_task else None
        graph_folders = ("",) if task is None else task.graphs
        self._keep_files(graph_folders)
        names = [folder.variant.kind, folder.variant.dtype, folder.variant.number, folder.name]
        folder.digest = hash_of([_READER, self.reading.origin, *names, canonical(folder.files)])
        if folder.digest in self.reading.known:
            folder.is_known = True
            folder.contents = {}
            return
        for warning in () if task is None else task.warnings:
            folder.said.append(f"{warning} (a warning)")
        self._read_graphs(graph_folders)
        if task is None:
            ((name, graph),) = folder.graphs
            folder.text = TaskText(folder.variant.title(plain_line(name)), graph.problem)
            folder.facets = folder_facets(self._nets, {})
            return
        example = self.path / "example"  # our own tasks have one; elsewhere pass_dir/ is the nearest thing to it
        files = read_pass_dir(example) if example.is_dir() and not example.is_symlink() else task.pass_files
        folder.example_files = files or None
        about = _task_json(self.path)
        folder.text = _text_of(about, folder.variant.title(folder.name))
        folder.facets = folder_facets(self._nets, about)

    def _read_graphs(self, graph_folders: tuple[str, ...]) -> None:
        """Raises ReadProblem when one of a task's graphs can not be read: half a task would be another task."""
        unread = []
        taken: set[str] = set()
        for relative in graph_folders:
            try:
                name, graph = self._graph(relative)
            except ReadProblem as problem:
                if not self.is_task:
                    raise
                self.folder.said.append(str(problem))
                unread.append(relative)
                continue
            own = _own_name(name, relative, taken) if self.is_task else plain_line(name)
            taken.add(own)
            self.folder.graphs.append((own, graph))
        if unread:
            why = f"the task was not imported, because {', '.join(unread)} can not be read"
            raise ReadProblem(str(self.path / "graph_list.txt"), None, why)

    def _graph(self, relative: str) -> tuple[str, PreparedGraph]:
        path = self.path / relative
        sample = read_sample(path)
        if sample.content_hash != self.folder.files[_join(relative, "model.py")]:
            raise ReadProblem(str(path / "model.py"), None, "was changed while it was read; import it again")
        said = [f"{warning} (a warning)" for warning in sample.warnings]
        # The stored warnings are read without the folder at hand: name the file, not the way to it.
        own = str(path) + os.sep
        sample = replace(sample, warnings=tuple(warning.replace(own, "") for warning in sample.warnings))
        graph = prepare_graph(sample, str(path / "model.py"))
        self._nets.append(sample.graph_net)
        # Those after the sample's own were found out only with the code
        said += [f"{own}{warning} (a warning)" for warning in graph.warnings[len(sample.warnings) :]]
        self.folder.said += said
        return sample.name, graph

    def _keep_files(self, graph_folders: tuple[str, ...]) -> None:
        """The bytes of every file that an export gives back."""
        for relative in graph_folders:
            self._keep_files_of(relative)
        if self.is_task:
            self._keep_files_of("")
            for name in ("pass_dir", "example"):
                path = self.path / name
                if path.is_dir() and not path.is_symlink():
                    for file, text in read_pass_dir(path).items():
                        self._keep(f"{name}/{file}", text.encode("utf-8", "surrogateescape"))

    def _keep_files_of(self, relative: str) -> None:
        """Regular files directly in a folder; links, hidden files and what is too large for the formats stay out."""
        path = self.path / relative
        try:
            names = sorted(file.name for file in path.iterdir())
        except OSError as error:
            raise ReadProblem(str(path), None, f"can not be read: {error.strerror or error}") from error
        kept = [name for name in names if name in _SAMPLE_FILES or _is_small_file(path / name)]
        for name in kept[:_MOST_FILES]:
            content = read_bytes(path, name, MAX_MODEL_BYTES if name in _SAMPLE_FILES else MAX_SMALL_BYTES)
            self._keep(_join(relative, name), content or b"", is_source=name == "model.py")

    def _keep(self, name: str, content: bytes, is_source: bool = False) -> None:
        key = hashlib.sha256(content).hexdigest()
        self.folder.files[name] = key
        if not is_source and key not in self.folder.contents:
            self.folder.contents[key] = pack(content)


def _is_small_file(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_SMALL_BYTES and not path.name.startswith(".")


def _join(relative: str, name: str) -> str:
    return f"{relative}/{name}" if relative else name


def _own_name(name: str, relative: str, taken: set[str]) -> str:
    """The graph's folder name, or as much more of its path as makes it the only one in the task."""
    parts = [plain_line(part) for part in relative.split("/") if part != "graphs"]
    for count in range(1, len(parts) + 1):
        longer = ".".join(parts[-count:])
        if longer not in taken:
            return longer
    shown = plain_line(name)
    return next(f"{shown}-{number}" for number in range(2, len(taken) + 3) if f"{shown}-{number}" not in taken)


def read_text(folder: Path, name: str) -> TaskText:
    """Title, summary and description from task.json, which our own tasks have; else the folder's name."""
    return _text_of(_task_json(folder), name)


def _task_json(folder: Path) -> dict[str, Any]:
    """What task.json holds; nothing where there is none. Raises ReadProblem."""
    path = folder / "task.json"
    if not path.is_file():
        return {}
    content = read_bytes(folder, "task.json", MAX_SMALL_BYTES) or b""
    try:
        value: Any = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise ReadProblem(str(path), getattr(error, "lineno", None), f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ReadProblem(str(path), 1, "must be a JSON object with title, summary and description")
    return value


def _text_of(about: dict[str, Any], name: str) -> TaskText:
    texts = (("title", name), ("summary", ""), ("description", ""))
    return TaskText(*(str(about.get(key, "")) or default for key, default in texts))
