"""Does a graph give the same result twice? Eager against eager, before anything is compared with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule

from evaluator.engine.compare import compare, first_t
from evaluator.engine.values import copied, same_randomness
from evaluator.events import OutputReport
from evaluator.scoring import EXACT


@dataclass(frozen=True)
class Noise:
    """`deterministic`: two runs from one state of the random generators agree exactly. `random`: the result depends on
    that state (dropout in training, `rand`), so that reference and candidate are only comparable from the same one.
    `floor`: eager against eager, from the same state: what no candidate can be expected to beat.
    """

    deterministic: bool
    random: bool
    floor: list[OutputReport]

    @property
    def first_t(self) -> int | None:
        """The smallest t at which eager agrees with itself; EXACT for a deterministic graph."""
        return first_t(self.floor)


def noise(module: GraphModule, inputs: Sequence[Any], seed: int = 0) -> Noise:
    """Run the graph three times on copies of `inputs`: twice from the same seed, once from another."""
    first, again, other = (_run(module, inputs, one) for one in (seed, seed, seed + 1))
    floor = compare(first, again)
    deterministic = _same(floor)
    return Noise(deterministic, random=deterministic and not _same(compare(first, other)), floor=floor)


def _run(module: GraphModule, inputs: Sequence[Any], seed: int) -> Any:
    arguments = copied(inputs)
    with same_randomness(inputs), torch.no_grad():
        torch.manual_seed(seed)
        return module(*arguments)


def _same(reports: Sequence[OutputReport]) -> bool:
    """Equal, where NaN counts as equal to NaN: it says nothing about repetition."""
    return all(report["first_t"] == EXACT or _only_nan(report) for report in reports)


def _only_nan(report: OutputReport) -> bool:
    return (
        report["mismatch"] is None
        and report["max_abs"] in (0.0, None)  # None: no element is finite
        and all(worst["expected"] == worst["found"] == "nan" for worst in report["worst"])
    )
