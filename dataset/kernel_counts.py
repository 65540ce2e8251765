"""Kernels that were counted before, by what was counted: models of one kind have their blocks in common.

Graphs are decomposed in forked processes: a child starts with what its parent knows and hands back what is new. Where
several parents work side by side, a file carries it from one to the others.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import torch

from dataset.inductor_kernels import Input, Kernels

Plain = dict[str, list[int] | None]  # as JSON: generated, extern, light; null for what Inductor does not take

_known: dict[str, Kernels | None] = {}
_new: dict[str, Kernels | None] = {}
_read: dict[Path, int] = {}  # bytes of a file that are known already


def key_of(source: str, inputs: Sequence[Input], device: str) -> str:
    """Names a graph by its text, the shapes, strides and dtypes of its inputs, the device and the version of torch."""
    return hashlib.sha256(repr((source, tuple(inputs), device, torch.__version__)).encode()).hexdigest()


def is_known(key: str) -> bool:
    return key in _known


def recall(key: str) -> Kernels | None:
    return _known[key]


def note(key: str, kernels: Kernels | None) -> None:
    _known[key] = _new[key] = kernels


def take_new() -> Plain:
    """What was noted here since the last call, for the parent."""
    found: Plain = {
        key: None if one is None else [one.generated, one.extern, int(one.light)] for key, one in _new.items()
    }
    _new.clear()
    return found


def merge(counted: Mapping[str, Sequence[int] | None]) -> None:
    """What a child handed back."""
    for key, one in counted.items():
        _known[key] = None if one is None else Kernels(one[0], one[1], bool(one[2]))


def ignore(path: Path) -> None:
    """What the file has by now is not to be taken from it."""
    _read[path] = path.stat().st_size if path.is_file() else 0


def catch_up(path: Path) -> None:
    """Take in what was written to the file since the last time, lines that are complete."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        file.seek(_read.get(path, 0))
        lines = file.read()
    lines = lines[: lines.rfind(b"\n") + 1]
    _read[path] = _read.get(path, 0) + len(lines)
    for line in lines.splitlines():
        with suppress(ValueError):  # cut off when a process was ended
            merge(json.loads(line))


def write_down(path: Path, counted: Plain) -> None:
    """Add a line for other processes, in one piece."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        os.write(descriptor, json.dumps(counted).encode() + b"\n")
    finally:
        os.close(descriptor)
