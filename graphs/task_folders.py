"""PassNet tasks and pass folders on disk: which graphs one submission must handle, and the submission's files."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graphs.problems import ReadProblem, TooLarge
from graphs.safe_files import is_inside, read_bytes, read_text

MAX_LIST_BYTES = 8 << 20
MAX_PASS_FILE_BYTES = 2 << 20
MAX_PASS_DIR_BYTES = 16 << 20
MAX_PASS_FILES = 1000


@dataclass(frozen=True)
class TaskFolder:
    """A task as its folder describes it; the graphs themselves are read one by one with `read_sample(path / graph)`."""

    name: str
    path: Path
    graphs: tuple[str, ...]  # relative folders, in the order of graph_list.txt
    sample_uids: tuple[str, ...] = ()
    pass_files: dict[str, str] | None = None  # pass_dir/, when there is one
    warnings: tuple[str, ...] = ()


def is_task(folder: Path) -> bool:
    """Whether the folder looks like a task."""
    return (folder / "graph_list.txt").is_file()


def read_task(folder: Path, tree: Path | None = None) -> TaskFolder:
    """Read a task folder. Raises ReadProblem; an entry that leaves the folder or names no graph is refused.

    A graph may be a link to a folder elsewhere in `tree`, which is the task's own folder unless given.
    """
    text = read_text(folder, "graph_list.txt", MAX_LIST_BYTES)
    if text is None:
        raise ReadProblem(str(folder / "graph_list.txt"), None, "is missing: a task lists its graphs there")
    file = str(folder / "graph_list.txt")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    graphs: dict[str, int] = {}  # folder → line
    warnings = []
    for number, line in enumerate(lines, 1):
        if entry := line.strip():
            graph = _graph_folder(folder, entry, (file, number), tree or folder)
            if graph in graphs:
                warnings.append(f"{file}:{number}: names {entry!r} again; line {graphs[graph]} has it already")
            graphs.setdefault(graph, number)
    if not graphs:
        raise ReadProblem(file, 1, "names no graph: write one graph folder a line")
    uids = read_text(folder, "sample_uids.txt", MAX_LIST_BYTES) or ""
    return TaskFolder(
        name=folder.name or folder.resolve().name,
        path=folder,
        graphs=tuple(graphs),
        sample_uids=tuple(uid for uid in uids.removeprefix("\ufeff").replace(",", " ").split()),
        pass_files=_pass_files(folder),
        warnings=tuple(warnings),
    )


def read_pass_dir(folder: Path) -> dict[str, str]:
    """The files of a submission: name relative to pass_dir → text, sorted by name.

    Bytes that are not UTF-8 become surrogate escapes. Links, hidden files and `__pycache__` are left out.
    Raises ReadProblem for a missing folder and TooLarge beyond the limits on one file, all files and their number.
    """
    if not folder.is_dir():
        raise ReadProblem(str(folder), None, "is not a folder")
    found: dict[str, str] = {}
    total = 0
    for path in _regular_files(folder):
        name = path.relative_to(folder).as_posix()
        content = read_bytes(folder, name, MAX_PASS_FILE_BYTES) or b""
        total += len(content)
        if total > MAX_PASS_DIR_BYTES or len(found) >= MAX_PASS_FILES:
            counts = {"bytes": total, "files": len(found) + 1, "limit": MAX_PASS_DIR_BYTES}
            raise TooLarge(
                str(folder),
                None,
                f"holds more than {MAX_PASS_DIR_BYTES:,} bytes or {MAX_PASS_FILES:,} files, which no pass needs",
                counts,
            )
        found[name] = content.decode("utf-8", "surrogateescape")
    return dict(sorted(found.items()))


def _graph_folder(folder: Path, entry: str, where: tuple[str, int], tree: Path) -> str:
    """The relative folder of one line of graph_list.txt; upstream writes it with or without `graphs/`."""
    file, line = where
    parts = PurePosixPath(entry).parts
    if entry.startswith("/") or ".." in parts or "\0" in entry or not parts:
        raise ReadProblem(file, line, f"{entry!r} leaves the task's folder; a graph must lie in it")
    relative = "/".join(part for part in parts if part != ".")
    candidates = (relative, f"graphs/{relative}")
    chosen = next((name for name in candidates if (folder / name / "model.py").exists()), relative)
    if not (folder / chosen).exists() and not (folder / chosen).is_symlink():
        raise ReadProblem(file, line, f"names {entry!r}, and there is no such folder in the task")
    if not is_inside(folder / chosen, tree):
        left = "the task's folder" if tree == folder else "the tree"
        raise ReadProblem(file, line, f"{entry!r} is a link that leaves {left}; such links are not followed")
    return chosen


def _pass_files(folder: Path) -> dict[str, str] | None:
    path = folder / "pass_dir"
    return read_pass_dir(path) if path.is_dir() and not path.is_symlink() else None


def _regular_files(folder: Path) -> list[Path]:
    found = []
    for path, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
        for name in sorted(files):
            file = Path(path) / name
            if not name.startswith(".") and stat.S_ISREG(file.lstat().st_mode):
                found.append(file)
    return found
