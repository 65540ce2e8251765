"""What the patterns of a folder of passes call."""

from pathlib import Path

from evaluator.engine.backend import interpret_without_gpu
from evaluator.engine.load import load_submission
from evaluator.engine.pattern import Pattern
from evaluator.engine.trace import trace_pattern


def operators_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """Pass → names of the operators of its pattern, in the order of the pattern.

    The folder's code runs in this process. Raises BadSubmission, PatternError.
    """
    interpret_without_gpu()
    found = {}
    for item in load_submission(folder):
        pattern = Pattern(trace_pattern(item.pattern, None, item.file))
        found[item.name] = tuple(pattern.operators[node].name for node in pattern.nodes)
    return found
