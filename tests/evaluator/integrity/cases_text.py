"""Reads the text tables under attempts/ and honest/: submissions that must, or must not, be flagged.

They are data: nothing imports or collects them. A table holds cases like

    === name | class [| severity]
    --- Pass.py
    ...

`Pass.py` is wrapped into HEAD and TAIL, so that a case only shows its launcher; a file that begins with `# whole` is
taken as it is. Without an order file the case gets one that names `Pass`.
"""

import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ORDER_FILE = "sorted_output_pass_rule_names.json"

HEAD = """import torch
import triton
import triton.language as tl


def pattern(x, y):
    return torch.nn.functional.relu(x + y)


def replacement_args(x, y):
    return (x, y)


@triton.jit
def kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(o_ptr + i, tl.maximum(x + y, 0.0).to(o_ptr.dtype.element_ty), mask=i < n)


"""
TAIL = """

def replacement_func():
    return launch
"""


# Honest launchers that fit another graph than the sum of two equal tensors (other shapes, several outputs, indices as
# data), and such that ask for streams and events where there is no GPU.
OTHER_GRAPHS = frozenset(
    {
        "block pointers and descriptors",
        "indices loaded as data",
        "list of outputs filled in a loop",
        "multiple outputs in a dataclass free tuple",
        "partial sums then kernel",
        "pointer array for many tensors",
        "transposed weight copy",
    }
)
NEEDS_A_GPU = frozenset(
    {"own stream that waits and is waited for", "two streams joined by events", "events that measure nothing"}
)


@dataclass(frozen=True)
class Case:
    name: str
    expected: str | None  # finding class
    severity: str
    files: dict[str, str]
    table: str = ""  # name of the file that it stands in


def read_cases(folder: str) -> list[Case]:
    """All cases of a folder: `attempts`, `honest`, `by_conduct` (tricks that no text shows) or `run_time`."""
    cases: list[Case] = []
    for table in sorted((HERE / folder).glob("*.txt")):
        for block in ("\n" + table.read_text()).split("\n=== ")[1:]:
            cases.append(_case(block, table.name))
    assert len({case.name for case in cases}) == len(cases)
    return cases


def _case(block: str, table: str) -> Case:
    head, _, rest = block.partition("\n")
    words = [word.strip() for word in head.split("|")]
    files: dict[str, str] = {}
    for part in ("\n" + rest).split("\n--- ")[1:]:
        name, _, text = part.partition("\n")
        text = text.strip("\n") + "\n"
        files[name.strip()] = (
            HEAD + text + TAIL if name.strip() == "Pass.py" and not text.startswith("# whole") else text
        )
    files.setdefault(ORDER_FILE, json.dumps(["Pass"]))
    expected = words[1] if len(words) > 1 else None
    return Case(words[0], expected, words[2] if len(words) > 2 else "violation", files, table)
