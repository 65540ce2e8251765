"""Kernels that were counted before, by what was counted: models of one kind have their blocks in common.

Graphs are decomposed in forked processes: a child starts with what its parent knows and hands back what is new.
"""

import hashlib
from collections.abc import Mapping, Sequence

import torch

from dataset.inductor_kernels import Input, Kernels

Plain = dict[str, list[int] | None]  # as JSON: generated, extern, light; null for what Inductor does not take

_known: dict[str, Kernels | None] = {}
_new: dict[str, Kernels | None] = {}


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
