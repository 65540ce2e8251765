"""Cutting many whole graphs: each in a process with limits, several at the same time, never the same twice."""

import hashlib
import importlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dataset import collectives, manifest
from dataset.decompose import FOLDER, DecomposeOptions, Kind, decompose
from dataset.limited import run_limited, side_by_side
from graphs.samples import find_samples, read_sample, write_sample

MANIFEST = "decomposed.jsonl"
KERNELS = "kernels.jsonl"  # what was counted
_NO_LIMIT = 1 << 50  # CUDA reserves more addresses than any limit on them

Result = dict[str, Any]


def decompose_all(root: Path, options: DecomposeOptions) -> list[Result]:
    """Decompose every whole graph below `root` into its folder `_decomposed`; what is there of that kind is replaced.

    One object each: `graph` (folder below `root`), `status` (done, failed, time, memory, died), `why`, `subgraphs`
    (folders below `root`), `left` (reason → count), `seconds`. What `total_seconds` was too short for is not listed.
    """
    folders = [path for path in find_samples(root) if not any(map(_is_inside, path.relative_to(root).parts))]
    if options.kind == "fusible":
        _import_inductor()
        if not options.resume:
            importlib.import_module("dataset.kernel_counts").ignore(root / KERNELS)
        folders.sort(key=lambda path: (path / "model.py").stat().st_size)  # large ones share blocks with small ones
    known = manifest.read_manifest(root / MANIFEST) if options.resume else {}
    before = {folder: known.get(_key(root, folder, options), {}) for folder in folders}
    found = [result for result in before.values() if result.get("status") == "done"]
    waiting = [folder for folder in folders if before[folder].get("status") != "done"]
    tqdm.monitor_interval = 0  # no thread: processes are forked from here
    work = partial(_decompose_one, root, options=options, until=time.monotonic() + options.total_seconds)
    bar = tqdm(total=len(folders), initial=len(found), unit="graph", disable=not sys.stderr.isatty())
    with bar:
        for result in side_by_side(work, waiting, options.workers):
            if result is None:
                continue
            manifest.append(root / MANIFEST, result)
            found.append(result)
            bar.update()
    plain = [{name: value for name, value in result.items() if name != "key"} for result in found]
    return sorted(plain, key=lambda result: str(result["graph"]))


def _is_inside(part: str) -> bool:
    """Of the way to a folder: it is a subgraph, or belongs to a capture or a decomposition that is at work."""
    return part == FOLDER or part.startswith((".capture-", ".decompose-"))


def _import_inductor() -> None:
    """Once, before the forks; with this its import leaves a GPU to them."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    importlib.import_module("dataset.fusible")


def _key(root: Path, folder: Path, options: DecomposeOptions) -> str:
    source = hashlib.sha256((folder / "model.py").read_bytes()).hexdigest()
    how = f" window={options.window} device={options.device}" if options.kind == "fusible" else ""
    return f"{folder.relative_to(root).as_posix()} {source} {options.kind}{how}"


def _decompose_one(root: Path, folder: Path, options: DecomposeOptions, until: float) -> Result | None:
    """None past `until` (of time.monotonic): the graph is left for another time."""
    key = _key(root, folder, options)
    options = replace(options, seconds=min(options.seconds, until - time.monotonic()))
    if options.seconds <= 0:
        return None
    if options.kind == "fusible":
        importlib.import_module("dataset.kernel_counts").catch_up(root / KERNELS)
    with tempfile.TemporaryDirectory(prefix=".decompose-", dir=root) as work:
        outcome = run_limited(
            partial(_decompose_into, folder, Path(work) / "found", options),
            Path(work),
            seconds=options.seconds,
            memory_bytes=options.memory_bytes if options.device == "cpu" else _NO_LIMIT,
        )
        value = outcome.value or {"subgraphs": [], "left": {}, "counted": {}}
        names = value["subgraphs"]
        if outcome.status == "done":
            _replace(Path(work) / "found", names, folder / FOLDER, options.kind)
    if value["counted"]:
        importlib.import_module("dataset.kernel_counts").write_down(root / KERNELS, value["counted"])
    below = (folder / FOLDER).relative_to(root)
    return {
        "key": key,
        "graph": folder.relative_to(root).as_posix(),
        "status": outcome.status,
        "why": outcome.why,
        "subgraphs": [(below / name).as_posix() for name in names],
        "left": value["left"],
        "seconds": outcome.seconds,
    }


def _decompose_into(folder: Path, found: Path, options: DecomposeOptions) -> dict[str, Any]:
    names: list[str] = []
    left: dict[str, int] = {}
    whole = read_sample(folder)
    with collectives.alone(whole.graph_net):
        for sample, why in decompose(whole, options, left):
            if why is None:
                write_sample(sample, found / sample.name)
                names.append(sample.name)
            else:
                left[why] = left.get(why, 0) + 1
    counted: dict[str, Any] = {}
    if options.kind == "fusible":
        counted = importlib.import_module("dataset.kernel_counts").take_new()
    return {"subgraphs": names, "left": left, "counted": counted}


def _replace(found: Path, names: Sequence[str], target: Path, kind: Kind) -> None:
    for old in find_samples(target):
        net = old / "graph_net.json"
        if net.is_file() and json.loads(net.read_text("utf-8")).get("subgraph_kind") == kind:
            shutil.rmtree(old)
    for name in names:
        target.mkdir(exist_ok=True)
        shutil.move(found / name, target / name)
