"""A failing comparison as one Python file: it needs torch and Triton, nothing of ours, and shows the difference."""

import inspect
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evaluator.engine import inputs
from evaluator.engine.compare import tolerances
from evaluator.engine.leaf import identifier
from evaluator.scoring import CORRECT_AT, FLOAT_DTYPES
from graphs.fx_source import parse, to_source
from graphs.samples import TensorMeta

# The functions that draw inputs travel into the script as they stand, so that the numbers are the same.
_DRAWING = (
    inputs.replay, inputs.dtype_of, inputs._tensor, inputs._normal, inputs._floats, inputs._integers, inputs._bounds,
    inputs._scalar,
)  # fmt: skip


@dataclass(frozen=True)
class Failing:
    """Everything that one failing comparison depends on."""

    title: str  # one line: submission, graph, verdict
    reference: str  # FX code of the graph
    candidate: str  # FX code of the rewritten graph; launchers are called by the names that passes.py prints
    pass_names: Sequence[str]
    files: Mapping[str, str]  # of the submission
    metas: Sequence[TensorMeta]  # in the order of the graph's inputs
    seed: int
    spread: float
    random_seed: int = 0
    device: str = "cpu"
    scalars: Collection[str] = ()


def script(failing: Failing) -> str:
    """The text of the script. Run, it prints one line per output and the worst elements; exit status 1 if any differs.

    Raises graphs' ReadProblem where one of the two graphs is no FX code.
    """
    reference, candidate = (to_source(parse(text)) for text in (failing.reference, failing.candidate))
    parts = [
        _HEAD.format(title=" ".join(failing.title.split()).replace('"""', "'''").replace("\\", "/")),
        _files(failing.files),
        f"DEVICE = {failing.device!r}  # any other works too\nSEED = {failing.seed}\nSPREAD = {failing.spread!r}",
        f"RANDOM_SEED = {failing.random_seed}  # of the graph's own operators\nSCALARS = {sorted(failing.scalars)!r}",
        _metas(failing.metas),
        f"# Tolerances at t = {CORRECT_AT}: (atol, rtol) by dtype; every other dtype must be equal.\n"
        f"TOLERANCES = { ({dtype: tolerances(dtype, CORRECT_AT) for dtype in sorted(FLOAT_DTYPES)})!r}",
        _DRAW_HEAD + "\n\n" + "\n\n".join(inspect.getsource(function).strip() + "\n" for function in _DRAWING),
        _class(reference, "Reference"),
        _LOAD,
        *_launchers(candidate, failing.pass_names),
        _class(candidate, "Candidate"),
        _MAIN,
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _files(files: Mapping[str, str]) -> str:
    lines = ["FILES = {"]
    for name, text in sorted(files.items()):
        lines.append(f"    {name!r}: (")
        lines += [f"        {line!r}" for line in text.splitlines(keepends=True) or [""]]
        lines.append("    ),")
    return "\n".join([*lines, "}"])


def _metas(metas: Sequence[TensorMeta]) -> str:
    lines = [f"    {_meta(meta)}," for meta in metas]
    return "\n".join([textwrap.dedent(_META), "INPUTS = [", *lines, "]"])


def _meta(meta: TensorMeta) -> str:
    fields = (
        meta.name,
        meta.shape,
        meta.dtype,
        meta.device,
        meta.mean,
        meta.std,
        meta.data,
        meta.min_val,
        meta.max_val,
    )
    return f"TensorMeta({', '.join(_literal(value) for value in fields)})"


def _literal(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return (
        f"float({str(value)!r})" if isinstance(value, float) and str(value) in ("inf", "-inf", "nan") else repr(value)
    )


def _class(source: str, name: str) -> str:
    _, _, body = source.partition("class GraphModule(")
    return f"class {name}({body}"


def _launchers(candidate: str, pass_names: Sequence[str]) -> list[str]:
    """`name = launcher("Pass")` for every name without a dot that the candidate calls."""
    lines = []
    for target in dict.fromkeys(node.target for node in parse(candidate).nodes if node.op == "call_function"):
        owners = [name for name in pass_names if target.startswith(identifier(name) + "_")]
        if "." not in target and owners:
            lines.append(f"{target} = launcher({max(owners, key=len)!r})")
    return ["\n".join(lines)] if lines else []


_HEAD = '''"""{title}

Draws the inputs again, runs the graph and its rewritten form, and shows where they differ. Needs torch and Triton; a
GPU is used if it was used before. Written by PassNet Workbench.
"""

from __future__ import annotations

import importlib
import math
import operator
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import torch
'''

_META = """
    class TensorMeta(NamedTuple):
        name: str
        shape: tuple
        dtype: str
        device: str
        mean: float | None
        std: float | None
        data: tuple | None
        min_val: float | None
        max_val: float | None


"""

_DRAW_HEAD = f"""LIMIT = {inputs.LIMIT!r}
NOISE = {inputs.NOISE!r}
InputProblem = ValueError"""

_LOAD = '''
def load_passes():
    """Write the submission's files and make them importable as pass_dir."""
    if DEVICE == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
        try:
            from evaluator.engine import interpreter  # the workbench's corrections, if it is installed
        except ImportError:
            print("Without the workbench's corrections Triton's interpreter rounds bfloat16 otherwise.")
        else:
            interpreter.enable()
    folder = Path(tempfile.mkdtemp())
    for name, text in FILES.items():
        path = folder / "pass_dir" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    sys.path.insert(0, str(folder))


def launcher(pass_name):
    """What replacement_func() of a pass returns; a tuple of one output is that output."""
    load = importlib.import_module("pass_dir." + pass_name).replacement_func()

    def call(*args):
        result = load(*args)
        return result[0] if isinstance(result, (tuple, list)) and len(result) == 1 else result

    return call


load_passes()
'''

_MAIN = '''
def leaves(value):
    for item in value if isinstance(value, (tuple, list)) else [value]:
        yield from leaves(item) if isinstance(item, (tuple, list)) else [item]


def run(module):
    values = replay(INPUTS, SEED, SPREAD, DEVICE, scalars=SCALARS)
    torch.manual_seed(RANDOM_SEED)
    with torch.no_grad():
        return list(leaves(module(*values)))


def differs(index, a, b):
    """Print one output's comparison; True if it is not correct."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        print(f"output {index}: expected {a!r}, found {b!r}")
        return type(a) is not type(b) or a != b
    print(f"output {index}: expected {a.dtype} {list(a.shape)}, found {b.dtype} {list(b.shape)}")
    if a.dtype != b.dtype or a.shape != b.shape:
        return True
    atol, rtol = TOLERANCES.get(str(a.dtype).removeprefix("torch."), (0.0, 0.0))
    wide_a, wide_b = a.double().reshape(-1).cpu(), b.double().reshape(-1).cpu()
    error = (wide_a - wide_b).abs()
    wrong = ~((wide_a == wide_b) | (torch.isfinite(error) & (error <= atol + rtol * wide_b.abs())))
    finite = error[torch.isfinite(error)]
    print(f"  {int(wrong.sum())} of {wrong.numel()} elements are wrong, largest finite error "
          f"{float(finite.max()) if finite.numel() else 0.0:.6g}")
    excess = torch.where(wrong, torch.nan_to_num(error / (atol + rtol * wide_b.abs() + 1e-300), nan=math.inf), -1.0)
    for at in excess.argsort(descending=True, stable=True)[: min(10, int(wrong.sum()))].tolist():
        place = [int(part) for part in torch.unravel_index(torch.tensor(at), a.shape)]
        print(f"  {place}: expected {float(wide_a[at]):.9g}, found {float(wide_b[at]):.9g}")
    return bool(wrong.any())


if __name__ == "__main__":
    expected, found = run(Reference()), run(Candidate())
    if len(expected) != len(found):
        sys.exit(f"expected {len(expected)} outputs, found {len(found)}")
    wrong = [differs(index, a, b) for index, (a, b) in enumerate(zip(expected, found))]
    print("The candidate differs." if any(wrong) else "Every output is correct here.")
    sys.exit(int(any(wrong)))
'''
