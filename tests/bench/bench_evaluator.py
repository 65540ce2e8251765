"""Measures how long a person waits for a verdict: `python tests/bench/bench_evaluator.py`.

The target: about a second for each shipped graph once the evaluator is warm.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "graphs" / "data"
PASSES = ROOT / "tests" / "graphs_data" / "passes"
SUBMISSIONS = {
    "masked-mean-pooling": DATA / "masked-mean-pooling" / "example",
    **{order.parent.name.replace("_", "-"): order.parent for order in sorted(PASSES.glob("*/*.json"))},
}


def judge(task: str, submission: Path) -> None:
    command = [sys.executable, "-m", "evaluator", "run", str(DATA / task), str(submission), "--json"]
    start = time.perf_counter()
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    total = time.perf_counter() - start
    events = [json.loads(line) for line in printed.splitlines()]
    graphs = [event["seconds"] for event in events if event["event"] == "graph_done"]
    judged = next(event["seconds"] for event in events if event["event"] == "run_done")
    print(f"{task:<22} {total:6.1f} s, {judged:5.1f} s judged, slowest of {len(graphs)} graphs {max(graphs):5.2f} s")


if __name__ == "__main__":
    for name, folder in SUBMISSIONS.items():
        judge(name, folder)
