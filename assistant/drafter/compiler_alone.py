"""Inductor's speed on graphs where no draft was timed beside it, so that its score is known for every task."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.drafter.comparison import COMPILER, Row, compiler_score
from graphs.identity import graph_identity
from graphs.samples import Sample, write_sample


def measure(samples: Sequence[Sample], device: str, seconds: float, work: Path) -> dict[str, float | None]:
    """By the graphs' identity: eager over Inductor, `direct` by `e2e`, None where it does not compile. What is not done
    in time, or failed, is not in it. `work` is a folder that may be written to."""
    folder = work / "compiler-alone"
    names = [f"{place:05}" for place in range(len(samples))]
    for name, sample in zip(names, samples, strict=True):
        write_sample(sample, folder / name)
    (folder / "graph_list.txt").write_text("".join(f"{name}\n" for name in names))
    command = [sys.executable, "-m", "evaluator", "baseline", str(folder), "--json", "--device", device]
    with tempfile.TemporaryFile("w+") as told:
        try:
            subprocess.run(command, cwd=Path(__file__).resolve().parents[2], stdout=told, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            print("out of time while Inductor was measured alone", file=sys.stderr)
        told.seek(0)
        return ratios_of(told.read())


def ratios_of(text: str) -> dict[str, float | None]:
    """From what the command printed; its last line may have been cut off."""
    found: dict[str, float | None] = {}
    whole, _, _ = text.rpartition("\n")
    for line in whole.splitlines():
        said = json.loads(line)
        if "error" in said:
            found.setdefault(said["identity"], None)
        elif (said["entry"], said["method"], said["backend"]) == ("direct", "e2e", COMPILER):
            found[said["identity"]] = float(said["ratio"]["value"])
    return found


def completed(known: Row, samples: Sequence[Sample], ratios: Mapping[str, float | None]) -> Row:
    """The row with Inductor's score, if all graphs of the task have been measured by now."""
    by_name = {sample.name: graph_identity(sample) for sample in samples}
    measured = {name: ratios[identity] for name, identity in by_name.items() if identity in ratios}
    measured |= {name: one["compiler"] for name, one in known.per_graph.items() if one["compiler"] is not None}
    per_graph = {name: {**one, "compiler": measured.get(name)} for name, one in known.per_graph.items()}
    score = compiler_score(list(per_graph), {"graphs": per_graph}, measured)
    return replace(known, compiler=score, per_graph=per_graph)
