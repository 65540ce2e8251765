"""Another size of a graph's inputs, drawn when it is needed: what a pass has baked in can not be right for it too.

One size changes wherever it stands, as a batch or a sequence length would. It grows, because a larger size leaves
every index in its range; it shrinks only where exact data has to be cut. Whether the graph takes the new size shows
when it runs.
"""

import secrets
from collections.abc import Sequence
from math import prod

from evaluator.engine.shrink import resized
from graphs.samples import TensorMeta

MOST = 6  # candidates: each costs one run of the graph
MOST_ELEMENTS = 1 << 23  # of all inputs: the graph is run on the CPU first

Metas = Sequence[TensorMeta]


def variants(metas: Metas) -> list[list[TensorMeta]]:
    """Inputs with one size changed, the likeliest to run first: dynamic sizes, then leading ones, then the others."""
    found = []
    for size in _sizes(metas)[:MOST]:
        other = _other(size, metas)
        changed = [resized(meta, size, other) for meta in metas]
        if sum(prod(meta.shape) for meta in changed) <= MOST_ELEMENTS:
            found.append(changed)
    return found


def words(metas: Metas, changed: Metas) -> str:
    """ "in_0 of shape [5, 8]": the first input that is not as before, and whether there are more."""
    pairs = [new for old, new in zip(metas, changed, strict=True) if new != old]
    first = next((meta for meta in pairs if meta.shape), pairs[0])
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    what = f"of shape {list(first.shape)}" if first.shape else f"= {first.data[0] if first.data else '?'}"
    return f"{first.name} {what}{more}"


def _sizes(metas: Metas) -> list[int]:
    """Sizes that may change, each once. A size of 1 is a broadcast and stays."""
    numbers = [int(meta.data[0]) for meta in metas if not meta.shape and meta.data and type(meta.data[0]) is int]
    largest = sorted((meta for meta in metas if meta.shape), key=lambda meta: -prod(meta.shape))
    used = {size for meta in metas for size in meta.shape}
    ordered = [
        *(number for number in numbers if number in used),
        *(meta.shape[0] for meta in largest if len(meta.shape) > 1),
        *(size for meta in largest for size in meta.shape),
    ]
    return [size for size in dict.fromkeys(ordered) if size > 1]


def _other(size: int, metas: Metas) -> int:
    """A size that no input has yet, so that two that differ do not become one."""
    taken = {one for meta in metas for one in meta.shape}
    cut = any(meta.data is not None and size in meta.shape for meta in metas)
    near = range(1, size) if cut else range(size + 1, size + 2 + max(4, size // 4))
    free = [one for one in near if one not in taken] or list(near)
    return secrets.choice(free)
