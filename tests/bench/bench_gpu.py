"""How fast and how steady the GPU evaluator is: `python tests/bench/bench_gpu.py`. No web and no database.

Prints Markdown; docs/benchmarks.md holds what it printed. `--fresh N` limits how many graphs the comparison with a
fresh interpreter per graph and compiler takes, which is what takes long (0: none); `--runs` is for the repeatability.
`--log` keeps the events of a run of each task. Between two runs there is a pause, as between a person's: the
processes of the next run get ready in it.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import fresh_series  # noqa: E402

from evaluator.job import Job  # noqa: E402
from evaluator.runner.client import DaemonClient  # noqa: E402
from graphs.samples import read_pass_dir, read_sample  # noqa: E402

POOLING = ROOT / "graphs" / "data" / "published-masked-mean-pooling"
SHAPES = ("1x16x384", "4x128x384", "8x512x768", "32x64x1024", "2x2048x768")
ROLL = ROOT / "graphs" / "data" / "published-roll-norm"
SPINNING = 2 * (os.cpu_count() or 1)
PAUSE = 1.5  # seconds before a run
SHORT_PAUSE = 0.8

Events = list[dict[str, Any]]


def job(*names: str, baselines: tuple[str, ...] = ("inductor",), task: Path = POOLING) -> Job:
    """The example of a task on some of its graphs."""
    graphs = tuple(read_sample(task / "graphs" / name) for name in names)
    return Job(read_pass_dir(task / "example"), graphs, device="cuda", baselines=baselines)


@contextlib.contextmanager
def daemon() -> Iterator[tuple[DaemonClient, float]]:
    """A warm daemon and the seconds that it took to warm up. Its seeds are its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gpu.sock")
        environment = {**os.environ, "PASSNET_EVALUATOR_CACHE": str(Path(folder, "seeds"))}
        started = time.perf_counter()
        command = [sys.executable, "-m", "evaluator", "serve", "--socket", str(path), "--device", "cuda"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment)
        try:
            yield _ready(DaemonClient(path), process), time.perf_counter() - started
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def _ready(client: DaemonClient, process: "subprocess.Popen[bytes]") -> DaemonClient:
    while process.poll() is None:
        with contextlib.suppress(OSError):
            said = client.hello()
            if said["status"] == "ready":
                return client
            if said.get("message"):
                raise SystemExit(f"the daemon can not start: {said['message']}")
        time.sleep(0.05)
    raise SystemExit("the daemon ended")


def run(client: DaemonClient, what: Job, pause: float = PAUSE) -> Events:
    """All events of a run, each with the second `at` which it came. An error ends the benchmark."""
    time.sleep(pause)
    started, events = time.perf_counter(), []

    def take(event: dict[str, Any]) -> None:
        events.append({**event, "at": time.perf_counter() - started})

    client.run(what, take)
    if events[-1]["event"] != "run_done":
        raise SystemExit(f"the run failed: {events[-1]}")
    for name, graph in events[-1]["graphs"].items():
        if graph["status"] != "correct" or not graph["speedup"]:
            raise SystemExit(f"{name} was not judged as expected: {graph}")
    return events


def at(events: Events, kind: str) -> float:
    return next(float(event["at"]) for event in events if event["event"] == kind)


def speedups(events: Events, method: str) -> list[float]:
    return [graph["speedup"][method] for graph in events[-1]["graphs"].values() if method in graph["speedup"]]


def half_widths(events: Events, method: str) -> list[float]:
    found = [e["ratios"]["candidate"] for e in events if e["event"] == "timed" and e["method"] == method]
    return [(ratio["high"] - ratio["low"]) / 2 / ratio["value"] for ratio in found]


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def pooling(client: DaemonClient) -> tuple[float, Events]:
    """The task of five shapes: seconds in all, cold and warm, and without Inductor."""
    names = [f"f32_{shape}" for shape in SHAPES]
    cold, warm = (run(client, job(*names)) for _ in range(2))
    several = sorted((run(client, job(*names, baselines=())) for _ in range(3)), key=lambda events: events[-1]["at"])
    without = several[1]
    log(warm, POOLING.name)
    log(without, "without-inductor", drop=())
    row("5 graphs, Inductor compiled for the first time", f"{cold[-1]['at']:.1f} s", "")
    row("5 graphs: eager, Inductor (cached), candidate", f"{warm[-1]['at']:.2f} s", "≤ 5 s")
    verdicts = [max(e["at"] for e in events if e["event"] == "graph_done") for events in (warm, without)]
    row("the same to the last verdict, without the generalisation report", f"{verdicts[0]:.2f} s", "")
    row(
        "one graph without Inductor (a fifth of such a run, the median of three)",
        f"{without[-1]['at'] / len(names):.2f} s",
        "≤ 0.6 s",
    )
    row("the same to the last verdict", f"{verdicts[1] / len(names):.2f} s", "")
    row("first event", f"{warm[0]['at'] * 1e3:.0f} ms", "< 100 ms")
    row("first graph's verdict", f"{at(warm, 'graph_done'):.2f} s", "< 1.5 s")
    return float(warm[-1]["at"]), warm


def shape_table(events: Events) -> None:
    """Medians and speed-ups of each graph."""
    print("\n| graph | method | eager µs | Inductor µs | candidate µs | eager / candidate | Inductor / candidate |")
    print("|---|---|---|---|---|---|---|")
    for event in events:
        if event["event"] == "timed" and {"eager", "inductor", "candidate"} <= set(event["medians"]):
            medians = event["medians"]
            ratio = event["ratios"]["candidate"]
            row(
                event["graph"],
                f"{event['entry']} {event['method']}",
                *(f"{medians[who]:.2f}" for who in ("eager", "inductor", "candidate")),
                f"{ratio['value']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}] {ratio['word']}",
                f"{medians['inductor'] / medians['candidate']:.2f}",
            )


def repeatability(client: DaemonClient, runs: int) -> list[Events]:
    """The same pass judged again and again."""
    found = [run(client, job("f32_4x128x384", baselines=()), SHORT_PAUSE) for _ in range(runs)]
    for method, wanted in (("graph", "± 2 %"), ("e2e", "± 5 %")):
        values = [speedups(events, method)[0] for events in found]
        middle = statistics.median(values)
        spread = max(abs(value - middle) / middle for value in values)
        row(f"speed-up by `{method}`, {runs} runs: {middle:.2f}, farthest from it", f"{spread:.1%}", wanted)
    return found


def host_load(client: DaemonClient, quiet: list[Events]) -> None:
    """The same with spinning processes beside it, against the median of the runs without."""
    time.sleep(PAUSE)
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(SPINNING)]
    try:
        loaded = run(client, job("f32_4x128x384", baselines=()), 0.0)
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    for method, wanted in (("graph", "≤ 3 %"), ("e2e", "may move")):
        before = statistics.median(speedups(events, method)[0] for events in quiet)
        after = speedups(loaded, method)[0]
        width = statistics.median(max(half_widths(events, method)) for events in quiet)
        wider = f"±{width:.1%} → ±{max(half_widths(loaded, method)):.1%}"
        row(f"`{method}` with {SPINNING} spinning processes: {wider}, shift", f"{abs(after / before - 1):.1%}", wanted)


def fresh(graphs: int, *, cold: bool) -> float:
    """Seconds that fresh interpreters take for the five shapes, measured on some of them."""
    return fresh_series.seconds([f"f32_{shape}" for shape in SHAPES[:graphs]], cold=cold) * len(SHAPES) / graphs


def comparison(ours: float, cold: float, graphs: int) -> None:
    """Against fresh interpreters that find torch's files in the host's memory, that read them, and a series of both."""
    warm = fresh(graphs, cold=False)
    each = len(SHAPES)
    ways = {
        "files in memory": warm,
        "files read from disk": cold,
        "files read for the first graph": (cold + (each - 1) * warm) / each,
    }
    for words, seconds in ways.items():
        row(
            f"5 graphs, a fresh interpreter per graph and compiler, {words} ({graphs} measured)", f"{seconds:.0f} s", ""
        )
        row(f"times less wall time, {words}", f"{seconds / ours:.1f} ×", "≥ 40 ×")


def kernel_counts(events: Events) -> None:
    counts = {name: graph["launches"] for name, graph in events[-1]["graphs"].items()}
    said = ", ".join(sorted({f"{found['eager']} → {found['candidate']}" for found in counts.values()}))
    row("kernels, eager → candidate, on all 5 graphs", said, "5 → 1")


def other_task(client: DaemonClient) -> None:
    """Roll, slice, add and layer norm: nine graphs."""
    names = [Path(line).name for line in (ROLL / "graph_list.txt").read_text().split()]
    events = run(client, job(*names, task=ROLL))
    log(events, ROLL.name)
    print("\n| graph | by `graph`: eager, Inductor, candidate (µs) | Inductor / candidate | by `kernel` | floor |")
    print("|---|---|---|---|---|")
    found = {(e["graph"], e["method"]): e for e in events if e["event"] == "timed" and e["entry"] == "direct"}
    floors = {e["graph"]: e["fraction"]["candidate"] for e in events if e["event"] == "roofline"}
    for name, floor in floors.items():
        graph, kernel = (found[name, method]["medians"] for method in ("graph", "kernel"))
        times = ", ".join(f"{graph[who]:.2f}" for who in ("eager", "inductor", "candidate"))
        ratios = (f"{one['inductor'] / one['candidate']:.2f}" for one in (graph, kernel))
        row(name, times, *ratios, f"{floor:.0%}")
    print(f"\nAS {events[-1]['aggregate_score']:.3f}, {events[-1]['at']:.1f} s.")


def log(events: Events, name: str, drop: tuple[str, ...] = ("at",)) -> None:
    """Keep the events of a run, where that was asked for."""
    if LOGS is not None:
        lines = ({key: value for key, value in event.items() if key not in drop} for event in events)
        Path(LOGS, f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


LOGS: str | None = None  # a folder


def main() -> None:
    global LOGS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", type=int, default=len(SHAPES), metavar="N", help="graphs for the comparison")
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="runs for the repeatability")
    parser.add_argument("--log", metavar="FOLDER", help="where to keep the events of two runs")
    options = parser.parse_args()
    LOGS = options.log
    cold = fresh(min(1, options.fresh), cold=True) if options.fresh else 0.0  # while nothing holds torch's files
    with daemon() as (client, seconds):
        said = client.hello()
        print(f"Versions: {json.dumps(said['versions'])}. Isolation: {said.get('isolation')}.\n")
        print("| what | measured | wanted |\n|---|---|---|", flush=True)
        row("worker ready (imports, device measured)", f"{seconds:.1f} s", "")
        warm_seconds, events = pooling(client)
        kernel_counts(events)
        host_load(client, repeatability(client, options.runs))
        if options.fresh:
            comparison(warm_seconds, cold, options.fresh)
        device = next(event for event in events if event["event"] == "device")
        shape_table(events)
        other_task(client)
        print(f"\nDevice: {device['name']}, rates {json.dumps(device['rates'])}, state {json.dumps(device['after'])}")


if __name__ == "__main__":
    main()
