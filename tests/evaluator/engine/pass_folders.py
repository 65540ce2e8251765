"""Folders of passes over one small kernel, made from the lines that a test is about."""

import json
import textwrap

KERNELS = '''
import torch
import triton
import triton.language as tl


@triton.jit
def combine_kernel(x_ptr, y_ptr, total_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    y = tl.load(y_ptr + at, mask=at < n, other=0.0)
    total = x + y * scale
    tl.store(total_ptr + at, total, mask=at < n)
    tl.store(out_ptr + at, tl.maximum(total, 0.0), mask=at < n)


@torch.fx.wrap
def combine(x, y, route, scale, unused):
    """x + y · scale ("sum"), its relu ("relu"), or both; x and y are contiguous and of one shape."""
    assert unused is None
    total, out = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()
    combine_kernel[(triton.cdiv(n, 64),)](x, y, total, out, n, scale, BLOCK=64)
    return {"sum": total, "relu": out, "both": (total, out)}[route]
'''

FILE = """
import torch
from pass_dir.kernels import combine
{top}

def pattern({inputs}):
{pattern}


def replacement_args({inputs}):
    return {args}


def replacement_func():
    return {launcher}
"""


def one(pattern, args='(x, y, "relu", 1, None)', inputs="x, y", top="", launcher="combine"):
    """The text of a pass whose pattern's body is `pattern`."""
    body = textwrap.indent(textwrap.dedent(pattern).strip("\n"), "    ")
    return FILE.format(pattern=body, args=args, inputs=inputs, top=textwrap.dedent(top), launcher=launcher)


RELU = one("return torch.relu(x + y)")
SCALED = one("total = x + y * 3\nreturn total, torch.relu(total)", args='(x, y, "both", 3, None)')


def folder(path, **files):
    """Write passes (name=text), in this order, with the kernels beside them."""
    path.mkdir()
    for name, text in files.items():
        (path / f"{name}.py").write_text(text)
    (path / "kernels.py").write_text(KERNELS)
    (path / "sorted_output_pass_rule_names.json").write_text(json.dumps(list(files)))
    return path
