"""Sentences about an inaccurate graph."""

from collections.abc import Sequence
from typing import Any

from evaluator.engine.compare import Verdict
from evaluator.events import OutputReport
from evaluator.verdicts import Mismatch


def inaccuracy(outputs: Sequence[OutputReport], verdict: Verdict) -> str:
    """What is wrong with the outputs, by the worst of them."""
    if verdict.mismatch is not None:
        return _mismatch(next(one for one in outputs if one["mismatch"] == verdict.mismatch))
    worst = max(outputs, key=lambda one: (one["first_t"] is None, one["first_t"] or 0, one["max_abs"] or 0.0))
    if verdict.first_t is None and (nan := _only_nan(worst)) is not None:
        return nan
    within = "at no t" if verdict.first_t is None else f"from t = {verdict.first_t} on".replace("-", "−")
    return f"Output {worst['index']} is correct {within}, −5 is asked for. {_largest_error(worst)}"


def _only_nan(output: OutputReport) -> str | None:
    """Where all that differs is NaN on both sides: NaN equals nothing, so that no pass can be correct there."""
    pairs = [(one["expected"], one["found"]) for one in output["worst"]]
    if not pairs or any(str(expected) != "nan" or str(found) != "nan" for expected, found in pairs):
        return None
    first = output["worst"][0]["index"]
    return (
        f"Output {output['index']}: the graph itself gives NaN, as the pass does ({output['differing']} of "
        f"{output['elements']} elements differ, one of them at {first}). NaN equals nothing, so no t accepts it."
    )


def _mismatch(output: OutputReport) -> str:
    match output["mismatch"]:
        case Mismatch.COUNT:
            return "It returns another number of outputs than the graph."
        case Mismatch.DTYPE:
            return f"Output {output['index']} is {output['dtype']}, the graph returns {output['expected_dtype']}."
        case Mismatch.SHAPE:
            return f"Output {output['index']} has shape {output['shape']}, the graph's is {output['expected_shape']}."
    return f"Output {output['index']} has NaN or Inf where the graph has none. {_largest_error(output)}"


def _largest_error(output: OutputReport) -> str:
    if not output["worst"]:
        return ""
    worst = output["worst"][0]
    differing = f"{output['differing']} of {output['elements']} elements differ"
    return f"{differing}; worst at {worst['index']}: {_number(worst['found'])} instead of {_number(worst['expected'])}."


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
