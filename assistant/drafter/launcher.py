"""The launcher of a draft: checks, memory, launches, results."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.drafter.dtypes import DType
from assistant.drafter.kernel_text import KernelText, Stored
from assistant.drafter.lower import Lowering
from assistant.drafter.sizes import ONE, Size
from assistant.drafter.values import Shape


@dataclass(frozen=True)
class Results:
    """What the launcher returns: names, and the lines that make views of what was stored."""

    names: tuple[str, ...]
    views: tuple[str, ...]


def launcher_text(
    low: Lowering, name: str, parameters: Sequence[str], kernels: Sequence[KernelText], stored: Sequence[Stored],
    results: Results,
) -> list[str]:  # fmt: skip
    """The lines of the launcher."""
    loaded = [x for x in low.inputs if any(x in kernel.pointers for kernel in kernels)]
    flat = _is_flat(low, loaded, kernels, stored)
    lines = ["@torch.fx.wrap", f"def {name}({', '.join(parameters)}):"]
    lines += _flat_checks(loaded) if flat else _size_lines(low, loaded, kernels, stored)
    lines += [f"    {x} = {x}.contiguous()" for x in loaded]
    like = loaded[0] if loaded else ""
    every = [*(item for kernel in kernels for item in kernel.stored)]
    for item in every:
        shape = tuple(map(low.resolved, item.value.shape))
        lines.append(f"    {item.buffer} = {_memory(item.value.dtype, shape, like, flat, low)}")
    for kernel in kernels:
        lines += _launch(kernel, like if flat else "")
    lines += [f"    {view}" for view in results.views]
    lines.append(f"    return {', '.join(results.names)}")
    return lines


def _is_flat(low: Lowering, loaded: Sequence[str], kernels: Sequence[KernelText], stored: Sequence[Stored]) -> bool:
    """Whether all tensors have one and the same shape, which then does not matter. Not of one element: the kernel that
    was written for it moves along no dimension."""
    shapes = {tuple(map(low.resolved, low.inputs[x].shape)) for x in loaded}
    shapes |= {tuple(map(low.resolved, item.value.shape)) for kernel in kernels for item in kernel.stored}
    if not kernels or not all(kernel.flat for kernel in kernels) or len(shapes) != 1:
        return False
    return any(size != ONE for size in shapes.pop())


def _flat_checks(loaded: Sequence[str]) -> list[str]:
    first, *others = loaded
    lines: list[str] = []
    for x in others:
        lines += [
            f"    if {x}.shape != {first}.shape:",
            f'        raise ValueError("drafted for {x} of the shape of {first}")',
        ]
    return lines


def _size_lines(
    low: Lowering, loaded: Sequence[str], kernels: Sequence[KernelText], stored: Sequence[Stored]
) -> list[str]:
    used = _used_sizes(low, loaded, kernels)
    defined: set[str] = set()
    lines: list[str] = []
    checks: list[str] = []
    order = sorted(
        loaded, key=lambda x: -len({name for size in low.inputs[x].shape for name in low.resolved(size).names})
    )
    for x in [*order, *(x for x in low.inputs if x not in loaded)]:  # of the others, only sizes are needed
        sizes = tuple(map(low.resolved, low.inputs[x].shape))
        fresh = [size.names[0] if len(size.names) == 1 and size.factor == 1 and size.names[0] not in defined
                 and size.names[0] not in low.derived else "" for size in sizes]  # fmt: skip
        fresh = [name if name and name not in fresh[:place] else "" for place, name in enumerate(fresh)]
        if x not in loaded and not used.intersection(fresh):
            continue
        if any(fresh):
            left = ", ".join(name or "_" for name in fresh)
            lines.append(f"    {left} = {x}.shape" if len(fresh) > 1 else f"    {left} = {x}.shape[0]")
            defined.update(name for name in fresh if name)
        for name, text in low.derived.items():
            if name in used and name not in defined and set(_names_in(text)) <= defined:
                lines.append(f"    {name} = {text}")
                defined.add(name)
        if not sizes or not all(fresh):
            shape = shape_text(sizes)
            checks += [
                f"    if {x}.shape != {shape}:",
                f'        raise ValueError("drafted for {x} of the shape {shape}")',
            ]
    return lines + checks


def _used_sizes(low: Lowering, loaded: Iterable[str], kernels: Iterable[KernelText]) -> set[str]:
    used: set[str] = set()
    for kernel in kernels:
        used.update(kernel.sizes)
        sizes = [kernel.rows or Size(), kernel.columns, kernel.elements]
        sizes += [low.resolved(size) for item in kernel.stored for size in item.value.shape]
        used.update(name for size in sizes for name in size.names)
    used.update(name for x in loaded for size in low.inputs[x].shape for name in low.resolved(size).names)
    while True:
        more = {name for known in used & set(low.derived) for name in _names_in(low.derived[known])} - used
        if not more:
            return used
        used |= more


def _names_in(text: str) -> list[str]:
    return re.findall(r"\bD\d+\b", text)


def shape_text(shape: Sequence[Size]) -> str:
    """A shape as a tuple."""
    return f"({', '.join(size.text for size in shape)}{',' if len(shape) == 1 else ''})"


def _memory(dtype: DType, shape: Shape, like: str, flat: bool, low: Lowering) -> str:
    source = dtype.source if dtype.source in low.inputs else ""
    if flat and source and low.inputs[like].dtype.names == dtype.names:
        return f"torch.empty_like({like})"
    of = f"{source}.dtype" if source else f"torch.{dtype.name}"
    sizes = f"{like}.shape" if flat else shape_text(shape)
    return f"torch.empty({sizes}, dtype={of}, device={like}.device)"


def _launch(kernel: KernelText, flat: str) -> list[str]:
    pointers = ", ".join(kernel.pointers)
    sizes = "".join(f", {name}={name}" for name in kernel.sizes)
    if kernel.rows is None:
        elements = f"{flat}.numel()" if flat else kernel.elements.text
        return [
            f"    elements = {elements}",
            *_call(f"{kernel.name}[(triton.cdiv(elements, 1024),)]", f"{pointers}, elements{sizes}, BLOCK=1024"),
        ]
    columns, rows = kernel.columns.text, kernel.rows.text
    if kernel.looped:
        blocks = (
            ["    block_cols = 32", "    block_rows = 64"]
            if kernel.across
            else ["    block_cols = 1024", "    block_rows = 4"]
        )
    else:
        blocks = [
            f"    block_cols = triton.next_power_of_2({columns})",
            f"    block_rows = max({16 if kernel.across else 1}, {4096 if kernel.across else 2048} // block_cols)",
        ]
    grid = f"(triton.cdiv({rows}, block_rows),)"
    return [
        *blocks,
        *_call(f"{kernel.name}[{grid}]", f"{pointers}{sizes}, BLOCK_ROWS=block_rows, BLOCK_COLS=block_cols"),
    ]


def _call(function: str, arguments: str) -> list[str]:
    """A call within a function, in three lines where one would be too long."""
    line = f"    {function}({arguments})"
    return [line] if len(line) <= 118 else [f"    {function}(", f"        {arguments},", "    )"]


def kernel_lines(kernel: KernelText) -> list[str]:
    """The kernel's own text."""
    parameters = [f"{name}_ptr" for name in kernel.pointers]
    parameters += ["elements"] if kernel.rows is None else []
    parameters += [f"{name}: tl.constexpr" for name in kernel.sizes]
    parameters += (
        ["BLOCK: tl.constexpr"] if kernel.rows is None else ["BLOCK_ROWS: tl.constexpr", "BLOCK_COLS: tl.constexpr"]
    )
    head = f"def {kernel.name}({', '.join(parameters)}):"
    if len(head) > 118:
        head = f"def {kernel.name}(\n{_wrapped(parameters)}):  # fmt: skip"
    return ["@triton.jit", head, *(f"    {line}" for line in kernel.body)]


def _wrapped(words: Sequence[str], width: int = 110) -> str:
    """The words, each with a comma behind it, in lines of that width."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}," if lines[-1] else f"    {word},"
    return "".join(f"{line}\n" for line in lines)
