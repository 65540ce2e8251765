"""Models as plain values: what the command line names, and a module with one call of it."""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

import torch

_LONGEST = 80  # characters of a model's folder: names of graphs and subgraphs grow from it


class ModelProblem(Exception):
    """The model can not be made; the text says why and what to do."""


@dataclass(frozen=True)
class Example:
    """A module and one call of it."""

    module: torch.nn.Module
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    tag: str = "other"  # what the model is for: heuristic_tag of graph_net.json


@dataclass(frozen=True)
class ModelName:
    """A model as the command line names it: where it comes from, its name, and options of its configuration."""

    library: str
    name: str
    options: dict[str, Any] = field(default_factory=dict)
    factory: str | None = None  # what follows the colon
    text: str = ""  # as it was given

    @property
    def folder(self) -> str:
        """A folder name for it: library/model. A long one is cut off and ends in a hash of what was given."""
        options = "".join(f"_{key}{value}" for key, value in self.options.items())
        name = _plain(self.name + options)
        if len(name) > _LONGEST:
            digest = hashlib.sha256(self.text.encode()).hexdigest()[:8]
            name = f"{name[: _LONGEST - 9]}_{digest}"
        return f"{_plain(self.library)}/{name}"


def _plain(text: str) -> str:
    return re.sub(r"[^\w.\-]+", "_", text).strip(".") or "model"
