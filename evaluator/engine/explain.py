"""What can be said about an output that is not correct, beyond how far it is off."""

import time
from collections.abc import Sequence
from typing import Any, TypedDict

from torch.fx import GraphModule

from evaluator.engine.compare import leaves
from evaluator.engine.error_map import error_map
from evaluator.engine.noise import noise
from evaluator.engine.truth import compare_with_truth, truth
from evaluator.events import ErrorMap, Noise, OutputReport, TruthReport
from evaluator.scoring import CORRECT_AT

# The float64 evaluation runs the graph twice and can be several times slower than the graph itself.
TRUTH_IN_EAGER_RUNS = 12


class Explanation(TypedDict, total=False):
    """The optional part of a `correctness` event."""

    truth: list[TruthReport | None]
    truth_note: str
    error_maps: list[ErrorMap | None]
    noise: Noise


def is_correct(report: OutputReport) -> bool:
    return report["first_t"] is not None and report["first_t"] <= CORRECT_AT


def explain(
    module: GraphModule,
    inputs: Sequence[Any],
    expected: Sequence[Any],
    found: Sequence[Any],
    reports: Sequence[OutputReport],
    seconds: float = 5.0,
) -> Explanation:
    """Noise, truth and error maps for outputs that are not correct; empty where all are.

    `module` and `inputs` are the graph's own, as before it ran. What would take much longer than `seconds` is left out.
    """
    if all(map(is_correct, reports)):
        return {}
    pairs = zip(leaves(expected), leaves(found), strict=False)
    explanation = Explanation(
        error_maps=[
            None if is_correct(report) else error_map(*pair) for report, pair in zip(reports, pairs, strict=False)
        ]
    )
    if all(report["mismatch"] in ("count", "shape") for report in reports if not is_correct(report)):
        return explanation
    started = time.monotonic()
    repeated = noise(module, inputs)
    run = (time.monotonic() - started) / 3
    explanation["noise"] = Noise(deterministic=repeated.deterministic, random=repeated.random, first_t=repeated.first_t)
    if repeated.random:
        explanation["truth_note"] = "The graph draws random numbers: there is no float64 truth to compare with."
    elif run * TRUTH_IN_EAGER_RUNS > seconds:
        explanation["truth_note"] = "The graph is too large for a float64 evaluation here."
    else:
        exact = truth(module, inputs)
        explanation["truth"] = compare_with_truth(exact, expected, found)
        explanation["truth_note"] = _note(exact.casts, exact.why)
    return explanation


def more_accurate(explanation: Explanation, reports: Sequence[OutputReport]) -> str | None:
    """A sentence where every output that is not correct is nearer to the truth than eager's; else None."""
    wrong = [
        (report, nearer)
        for report, nearer in zip(reports, explanation.get("truth", []), strict=False)
        if not is_correct(report)
    ]
    if not wrong or any(
        nearer is None or nearer["nearer"] != "candidate" or report["mismatch"] for report, nearer in wrong
    ):
        return None
    eager = max(nearer["eager_max"] for _, nearer in wrong if nearer)
    candidate = max(nearer["candidate_max"] for _, nearer in wrong if nearer)
    return (
        "More accurate than the reference: against a float64 evaluation of the graph its largest error is "
        f"{candidate:.2g}, eager's is {eager:.2g}."
    )


def _note(casts: Sequence[str], why: str | None) -> str:
    if why is not None:
        return f"No float64 truth: {why}."
    if not casts:
        return "Every operator was evaluated in float64."
    shown = ", ".join(casts[:5]) + (f" and {len(casts) - 5} more" if len(casts) > 5 else "")
    return f"Every operator was evaluated in float64; casts that the graph spells out still round ({shown})."
