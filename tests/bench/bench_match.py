"""Measures how long a match waits for a key: `python tests/bench/bench_match.py [--texts N]`.

The target: p95 under 200 ms from the last key to the answer for the graph in view, up to 300 nodes, on a quiet machine.
The pause after the last key is part of it; the way between browser and web server, on one machine some milliseconds, is
not. Each text differs from the one before, as when somebody types, and comes when the next matcher is ready.
"""

import argparse
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "evaluator" / "runner"), str(ROOT / "tests" / "graphs")]

from matching import MatchClient  # noqa: E402
from serving import SERVE, RunningDaemon  # noqa: E402
from whole_graph import whole_graph  # noqa: E402

from graphs.fx_source import parse  # noqa: E402

PAUSE = int(re.search(r"PAUSE_MS = (\d+)", (ROOT / "static/src/match/live.ts").read_text()).group(1)) / 1000  # type: ignore[union-attr]
BETWEEN = 0.5  # seconds between two texts

PASS = """
import torch
import triton
import triton.language as tl


def pattern({parameters}):
{body}


def replacement_args({parameters}):
    return ({parameters},)


@triton.jit
def kernel(x_ptr, out_ptr, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


def launcher({parameters}):
    return {first}


def replacement_func():
    return launcher
"""

WRITTEN = {
    "matches": ("q, k, mask", "scores = torch.matmul(q, k)\nscores += mask\nreturn scores"),
    "one constant off": ("x", "probs = torch.nn.functional.softmax(x, dim=-1, dtype=torch.float16)\nreturn probs"),
    "no such operator": ("x", "y = torch.special.erfcx(x)\nreturn y * 2"),
}


def submission(parameters: str, body: str, number: int) -> dict[str, str]:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    text = PASS.format(parameters=parameters, body=lines, first=parameters.split(",")[0])
    return {"Fuse.py": f"{text}# {number}\n", "sorted_output_pass_rule_names.json": '["Fuse"]'}


def measure(path: Path, name: str, source: str, texts: int) -> None:
    client = MatchClient(path, {"in view": source})
    for what, (parameters, body) in WRITTEN.items():
        waits, said = [], {}
        for number in range(texts):
            time.sleep(BETWEEN)
            start = time.perf_counter()
            client.ask(submission(parameters, body, number), "in view")
            for answer in client.answers():
                if answer["say"] in ("graph", "failed"):
                    waits.append(time.perf_counter() - start + PAUSE)
                    said = answer
        waits.sort()
        p50, p95 = statistics.median(waits), waits[min(len(waits) - 1, round(0.95 * len(waits)))]
        outcome = f"{said['matches']} matches" if said["say"] == "graph" else said["message"]
        print(f"{name:<12} {what:<18} p50 {p50 * 1000:5.0f} ms   p95 {p95 * 1000:5.0f} ms   {outcome}", flush=True)
    client.close()


def main() -> None:
    """Print p50 and p95 for graphs of two sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=40, help="texts for each case (default: 40)")
    texts = parser.parse_args().texts
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        path = Path(folder) / "m.sock"
        command = ("-m", "evaluator", "serve", "--match-socket", str(path), *SERVE[3:])
        daemon = RunningDaemon(Path(folder) / "d.sock", command)
        try:
            daemon.wait_until("ready")
            while not path.exists():
                time.sleep(0.05)
            for layers in (2, 14):
                source = whole_graph(layers)
                nodes = sum(node.op not in ("placeholder", "output") for node in parse(source).nodes)
                measure(path, f"{nodes} nodes", source, texts)
        finally:
            daemon.stop()


if __name__ == "__main__":
    main()
