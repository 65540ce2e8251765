"""Small graphs and passes for tests of the matcher."""

from types import SimpleNamespace

from evaluator.engine.build import build
from evaluator.engine.passes import apply_passes
from graphs.fx_source import parse

HEAD = """import torch
import torch.nn.functional as F
from torch import device, inf


class GraphModule(torch.nn.Module):
"""


def graph(inputs, *lines):
    """A module of these lines of FX code; the last one returns."""
    body = "".join(f"        {line}\n" for line in lines)
    return build(parse(f"{HEAD}    def forward(self, {inputs}):\n{body}"))


def first(*args):
    """A launcher that is never run."""
    return args[0]


def every(*args):
    return args


def rule(pattern, launcher=first, args=every, name="Fuse", **settings):
    """A loaded pass; `settings` are what its file sets (`commutative=True`)."""
    return SimpleNamespace(
        name=name,
        file=f"{name}.py",
        pattern=pattern,
        replacement_args=args,
        launcher=launcher,
        module=SimpleNamespace(**settings),
    )


def apply(module, *passes):
    return apply_passes(module, [item if isinstance(item, SimpleNamespace) else rule(item) for item in passes])


def count(module, *passes):
    return apply(module, *passes).matches


def miss(module, item):
    """The near miss of a pass that must not match."""
    applied = apply(module, item)
    assert applied.matches == 0
    (found,) = applied.near_misses
    return found
