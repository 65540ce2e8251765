"""Finding sample and task folders in a tree of any depth and size. No link is followed."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_CODE, _LIST = "model.py", "graph_list.txt"
_BESIDE_CODE = ("weight_meta.py", "graph_net.json")


@dataclass(frozen=True)
class Found:
    """A folder that looks like a task or like a sample."""

    path: Path
    relative: str  # to the tree; the folder's own name when it is the tree itself
    is_task: bool


def find_folders(root: Path, say: Callable[[str], None]) -> Iterator[Found]:
    """Task folders, and sample folders in no task, in the order of their paths; samples below samples, too.

    Says which folders can not be looked into, and goes on.
    """
    waiting = [""]
    while waiting:
        relative = waiting.pop()
        path = root / relative
        files, folders = set(), []
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    else:
                        files.add(entry.name)
        except OSError as error:
            say(f"{path}: can not be looked into: {error.strerror or error}")
            continue
        if _LIST in files and (path / _LIST).is_file():
            yield Found(path, _shown(root, relative), is_task=True)
            continue
        if _CODE in files and (path / _CODE).is_file() and any((path / name).is_file() for name in _BESIDE_CODE):
            yield Found(path, _shown(root, relative), is_task=False)
        below = sorted((name for name in folders if not name.startswith(".") and name != "pass_dir"), reverse=True)
        waiting += [f"{relative}/{name}" if relative else name for name in below]


def _shown(root: Path, relative: str) -> str:
    return relative or root.resolve().name
