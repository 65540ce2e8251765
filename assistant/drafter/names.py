"""Names that a person would choose: for the file, the launcher and long inputs."""

import keyword
from collections.abc import Iterable

from assistant.drafter.call import base_name
from assistant.drafter.selection import Selection
from graphs.fx_source import FxGraph, FxNode
from graphs.operators import operator_class

_LONG = 24
_TAKEN = frozenset({"torch", "triton", "tl", "libdevice", "operator", "pattern", "replacement_args", "replacement_func",
                    "elements", "block_rows", "block_cols", "row", "col", "at", "inside", "dtype",
                    "start"})  # fmt: skip
_WORDS = {"getitem": "slice", "truediv": "div", "pow": "power", "to": "convert", "getattr": "size"}


def main_operators(nodes: Iterable[FxNode]) -> list[str]:
    """Up to three operators that say what a selection does: what is no view first."""
    nodes = list(nodes)
    telling = [node for node in nodes if operator_class(node) not in ("view", "random")] or nodes
    names = list(dict.fromkeys(_WORDS.get(base_name(node), base_name(node)) for node in telling))
    heavy = [
        _WORDS.get(base_name(node), base_name(node))
        for node in telling
        if operator_class(node) in ("normalisation", "reduction", "matmul")
    ]
    if len(names) > 3:
        names = list(dict.fromkeys([*names[:1], *heavy[:1], *names[-1:]]))
    return ["".join(part for part in name if part.isalnum() or part == "_").strip("_") or "op" for name in names]


def file_stem(chosen: Selection) -> str:
    """FuseAddLayerNorm."""
    words = "_".join(main_operators(chosen.nodes)).split("_")
    return "Fuse" + "".join(word[:1].upper() + word[1:] for word in words if word)


def function_name(chosen: Selection) -> str:
    """fused_add_layer_norm."""
    return "fused_" + "_".join(main_operators(chosen.nodes)).lower()


def readable_names(chosen: Selection, graph: FxGraph) -> dict[str, str]:
    """What the pass file calls the values of the selection: their own names, but for very long inputs."""
    names: dict[str, str] = {}
    used: set[str] = set(_TAKEN) | {function_name(chosen)}
    for name in (*chosen.inputs, *(node.name for node in chosen.nodes)):
        wanted = name
        if len(name) > _LONG:
            parts = [part for part in name.strip("_").split("_") if part not in ("parameters", "self", "modules", "L")]
            wanted = "_".join(parts[-2:]) or "value"
        if not wanted.isidentifier() or keyword.iskeyword(wanted) or not wanted.isascii():
            wanted = f"value_{len(names)}"
        free, count = wanted, 1
        while free in used or _is_size_name(free):
            count += 1
            free = f"{wanted}_{count}"
        used.add(free)
        names[name] = free
    return names


def _is_size_name(name: str) -> bool:
    return name[:1] == "D" and name[1:].isdigit()
