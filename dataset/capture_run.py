"""Capturing many models in one go: each in its own process, with limits, and never twice."""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from dataset import graph_recorder, manifest
from dataset.examples import ModelName, ModelProblem
from dataset.libraries import import_before_forks, versions_of
from dataset.limited import Expected, run_limited, side_by_side
from dataset.manifest import Entry
from dataset.models import load, parse_name
from dataset.ranks import on_ranks
from graphs.samples import write_sample

MANIFEST = "manifest.jsonl"


@dataclass(frozen=True)
class CaptureOptions:
    """How models are captured. `memory_bytes` and `seconds` hold for each model alone."""

    train: bool = False
    seed: int = 0
    seconds: float = 300.0
    memory_bytes: int = 8 << 30
    retry: bool = False  # also what failed before
    workers: int = 1  # models that are captured at the same time
    devices: int = 1  # ranks of each model, processes of one group on the CPU


def capture_all(names: Sequence[str], out: Path, options: CaptureOptions) -> list[Entry]:
    """Capture each model into `out` and return its manifest entry, in order; those done before are not run again.

    An entry has `key`, `model`, `status` (captured, no graph, failed, time, memory, died), `why`, `graphs` (folders
    below `out`), `left`, `breaks`, `seconds`; `done_before` says that it is from an earlier call.
    Raises ModelProblem for a name that can not be read.
    """
    parsed = list({name: parse_name(name) for name in names}.values())
    out.mkdir(parents=True, exist_ok=True)
    known = manifest.read_manifest(out / MANIFEST)
    how = f"train={options.train} seed={options.seed}" + (f" devices={options.devices}" if options.devices > 1 else "")
    keys = {f"{name.text} {how}": name for name in parsed}
    entries = {
        key: {**known[key], "done_before": True}
        for key in keys
        if key in known and not (options.retry and known[key]["status"] not in ("captured", "no graph"))
    }
    waiting = [(key, name) for key, name in keys.items() if key not in entries]
    import_before_forks(name.library for _, name in waiting if name.factory is None)
    tqdm.monitor_interval = 0  # no thread: processes are forked from here
    work = partial(_capture_one, out=out, options=options)
    bar = tqdm(total=len(keys), initial=len(entries), unit="model", disable=not sys.stderr.isatty())
    with bar:
        for entry in side_by_side(work, waiting, options.workers):
            manifest.append(out / MANIFEST, entry)
            entries[entry["key"]] = {**entry, "done_before": False}
            bar.update()
    return [entries[key] for key in keys]


def breaks_by_reason(entries: Sequence[Entry]) -> list[tuple[str, int, int]]:
    """(reason, graph breaks, models that have them) over all models, the most frequent first."""
    counts: dict[str, tuple[int, int]] = {}
    for entry in entries:
        own: dict[str, int] = {}
        for one in entry["breaks"]:
            own[one["reason"]] = own.get(one["reason"], 0) + one["count"]
        for reason, count in own.items():
            breaks, models = counts.get(reason, (0, 0))
            counts[reason] = (breaks + count, models + 1)
    found = [(reason, breaks, models) for reason, (breaks, models) in counts.items()]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _capture_one(wanted: tuple[str, ModelName], out: Path, options: CaptureOptions) -> Entry:
    key, name = wanted
    with tempfile.TemporaryDirectory(prefix=".capture-", dir=out) as work:
        folder = Path(work)
        outcome = run_limited(
            partial(_in_child, name, folder, options),
            folder,
            seconds=options.seconds,
            memory_bytes=options.memory_bytes,
        )
        entry: Entry = {
            "key": key,
            "model": name.text,
            "status": outcome.status,
            "why": outcome.why,
            "seconds": outcome.seconds,
            "versions": versions_of(name.library),
        }
        if outcome.status != "done":
            return {**entry, "graphs": [], "left": [], "breaks": [], "log": outcome.log}
        value = outcome.value
        entry["status"] = "captured" if value["graphs"] else "no graph"
        graphs = [_place(folder / "samples", graph, len(value["graphs"]), name, out) for graph in value["graphs"]]
        return {**entry, **value, "graphs": graphs}


def _place(samples: Path, graph: str, count: int, name: ModelName, out: Path) -> str:
    """Move a sample to its folder below `out`: library/model, or library/model/graph where there are several."""
    target = out / name.folder if count == 1 else out / name.folder / graph
    target.mkdir(parents=True, exist_ok=True)
    for file in (samples / graph).iterdir():
        shutil.move(file, target / file.name)
    return target.relative_to(out).as_posix()


def _in_child(name: ModelName, folder: Path, options: CaptureOptions) -> dict[str, Any]:
    work = partial(_captured, name, folder / "samples", options)
    if options.devices == 1:
        return work(0)
    found = on_ranks(work, options.devices, folder)
    return {kind: [one for rank in found for one in rank[kind]] for kind in found[0]}


def _captured(name: ModelName, samples: Path, options: CaptureOptions, rank: int) -> dict[str, Any]:
    torch.manual_seed(options.seed)
    try:
        example = load(name)
    except ModelProblem as problem:
        raise Expected(str(problem)) from problem
    model_name = name.folder.rpartition("/")[2]
    several = options.devices > 1
    facts = {
        "framework": "torch",
        "num_devices_required": options.devices,
        "num_nodes_required": 1,
        **({"rank": rank} if several else {}),
        "dynamic": False,
        "model_name": model_name,
        "source": name.library,
        "heuristic_tag": example.tag,
    }
    called = f"{model_name}_rank{rank}" if several else model_name
    captured = graph_recorder.capture(example, called, train=options.train, facts=facts)
    for sample in captured.samples:
        write_sample(sample, samples / sample.name)
    return {
        "graphs": [sample.name for sample in captured.samples],
        "left": [asdict(one) for one in captured.left],
        "breaks": [asdict(one) for one in captured.breaks],
    }
