"""The acceptance cases of a folder: submissions with what is expected of them."""

import json
from pathlib import Path

from evaluator.job import Job, Limits
from graphs.samples import read_pass_dir, read_sample, read_task

LIMITS = Limits(call_seconds=8.0)


def submissions(root: Path, prefix: str = "") -> list[str]:
    """Names of those below `root` ("cases"), in order."""
    return sorted(path.name for path in (root / "submissions").glob(f"{prefix}*"))


def read(root: Path, submission: str) -> tuple[Job, dict]:
    """A submission on the graphs of its task, and its `expected.json`.

    Without the graphs marked `gpu_only`: they are large, and Triton's interpreter is slow.
    """
    folder = root / "submissions" / submission
    expected = json.loads((folder / "expected.json").read_text())
    task = read_task(root / "tasks" / expected["task"])
    samples = [read_sample(task.path / graph) for graph in task.graphs]
    small = tuple(one for one in samples if not expected["per_graph"][one.name].get("gpu_only"))
    return Job(read_pass_dir(folder / "pass_dir"), small, limits=LIMITS, run_id=submission, baselines=()), expected
