"""The text of a pass file."""

from collections.abc import Mapping, Sequence

from assistant.drafter.selection import Selection
from graphs.fx_source import FxNode, node_source
from graphs.fx_source.model import map_refs


def pass_file(chosen: Selection, names: Mapping[str, str], launcher: Sequence[str], function: str) -> str:
    """Pattern, arguments, kernels and launcher, `replacement_func`."""
    body = pattern_lines(chosen, names)
    arguments = ", ".join(names[name] for name in chosen.inputs)
    tuple_text = f"({arguments},)" if len(chosen.inputs) == 1 else f"({arguments})"
    imports = ["import torch", "import triton", "import triton.language as tl"]
    if any("libdevice." in line for line in launcher):
        imports.append("from triton.language.extra import libdevice")
    if not any("tl." in line for line in launcher):
        imports = ["import torch"]
    if any("operator." in line for line in [*body, *launcher]):
        imports.insert(0, "import operator")
        imports.insert(1, "")
    lines = [
        *imports, "", "",
        f"def pattern({arguments}):", *(f"    {line}" for line in body), "", "",
        f"def replacement_args({arguments}):", f"    return {tuple_text}", "", "",
        *launcher, "", "",
        "def replacement_func():", f"    return {function}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def pattern_lines(chosen: Selection, names: Mapping[str, str]) -> list[str]:
    """The selected lines in the graph's own form, and what they return."""
    lines = [node_source(_renamed(node, names)) for node in chosen.nodes]
    return [*lines, f"return {', '.join(names[name] for name in chosen.outputs)}"]


def original_launcher(chosen: Selection, names: Mapping[str, str], function: str, why: str) -> list[str]:
    """A launcher that runs the selected operators themselves."""
    arguments = ", ".join(names[name] for name in chosen.inputs)
    return [
        "@torch.fx.wrap",
        f"def {function}({arguments}):",
        f"    # TODO: write a Triton kernel and launch it here. None was drafted: {_one_line(why)}.",
        "    # These are the graph's own operators; a launcher may not compute with torch, says the integrity check.",
        *(f"    {line}" for line in pattern_lines(chosen, names)),
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _renamed(node: FxNode, names: Mapping[str, str]) -> FxNode:
    args = tuple(map_refs(arg, dict(names)) for arg in node.args)
    kwargs = tuple((key, map_refs(value, dict(names))) for key, value in node.kwargs)
    return FxNode(names[node.name], node.op, node.target, args, kwargs)
