"""Statistics of boards and comparisons, computed here once and alike. Pure Python: no Django, no torch, no NumPy.

Everything random has a seed, so that the same figures give the same interval. Intervals are of 95 % unless it is said.
"""

from evaluator.scoring import geometric_mean
from submissions.statistics.agreement import Agreement, agreement
from submissions.statistics.differences import (
    Rounds,
    difference_of_estimates,
    difference_through_eager,
    paired_difference,
    sign_test,
    word_of,
)
from submissions.statistics.intervals import Estimate, Record, bootstrap_ratio, percentile, record, resamples, wilson
from submissions.statistics.ratings import bradley_terry

__all__ = [
    "Agreement",
    "Estimate",
    "Record",
    "Rounds",
    "agreement",
    "bootstrap_ratio",
    "bradley_terry",
    "difference_of_estimates",
    "difference_through_eager",
    "geometric_mean",
    "paired_difference",
    "percentile",
    "record",
    "resamples",
    "sign_test",
    "wilson",
    "word_of",
]
