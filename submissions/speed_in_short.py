"""A run's speed in one number for each method, as lists and charts show it."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.scoring import geometric_mean


def mean_speedup(right: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Method → geometric mean of eager / pass over the results of the graphs that are correct.

    Only by methods that every one of them was measured by: a mean over other graphs is another number.
    """
    measured = [graph.get("speedup") or {} for graph in right]
    methods = set.intersection(*(set(one) for one in measured)) if measured else set()
    values = {method: [one[method] for one in measured] for method in sorted(methods)}
    return {method: geometric_mean(own) for method, own in values.items() if min(own) > 0}
