"""Shape variants and dtypes of samples, each verified by running, in the published tree kind/dtype/variant/samples/…"""

import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dataset import checks
from dataset.limited import run_limited
from dataset.symbolic import shape_variants
from graphs.samples import Sample, TensorMeta, find_samples, read_sample, write_sample

DTYPES = ("float32", "float16", "bfloat16")
_WHOLE = "whole"  # the kind of a graph that was not decomposed


@dataclass(frozen=True)
class VaryOptions:
    """`seconds` and `memory_bytes` hold for each sample with all its variants."""

    variants: int = 10
    dtypes: tuple[str, ...] = DTYPES
    whole: bool = False  # also graphs that were not cut from another
    seconds: float = 300.0
    memory_bytes: int = 8 << 30


def vary_all(root: Path, out: Path, options: VaryOptions) -> list[dict[str, Any]]:
    """Vary every subgraph below `root` into `out`; what is there of it is replaced.

    One object each: `sample` (folder below `root`), `status`, `why`, `samples` (folders below `out`), `left` (reason →
    count), `seconds`.
    """
    out.mkdir(parents=True, exist_ok=True)
    folders = [
        path
        for path in find_samples(root)
        if not path.resolve().is_relative_to(out.resolve()) and (options.whole or _is_subgraph(path))
    ]
    tqdm.monitor_interval = 0  # no thread: processes are forked from here
    results = []
    for folder in tqdm(folders, unit="sample", disable=not sys.stderr.isatty()):
        name = folder.relative_to(root).as_posix()
        name = folder.name if name == "." else name
        with tempfile.TemporaryDirectory(prefix=".vary-", dir=out) as work:
            outcome = run_limited(
                partial(_vary_into, folder, name, Path(work) / "found", options),
                Path(work),
                seconds=options.seconds,
                memory_bytes=options.memory_bytes,
            )
            value = outcome.value or {"samples": [], "left": {}}
            for old in out.glob(f"*/*/*/samples/{name}"):
                shutil.rmtree(old)
            for one in value["samples"]:
                (out / one).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(Path(work) / "found" / one, out / one)
        results.append({
            "sample": name,
            "status": outcome.status,
            "why": outcome.why,
            **value,
            "seconds": outcome.seconds,
        })  # fmt: skip
    return results


def with_dtype(sample: Sample, dtype: str) -> Sample:
    """The sample with all its floating inputs of one dtype; float64 stays. The code stays as it is."""
    return replace(
        sample,
        inputs=tuple(_with_dtype(meta, dtype) for meta in sample.inputs),
        model_inputs=tuple(_with_dtype(meta, dtype) for meta in sample.model_inputs),
    )


def _with_dtype(meta: TensorMeta, dtype: str) -> TensorMeta:
    return replace(meta, dtype=dtype) if meta.dtype in DTYPES else meta


def _is_subgraph(folder: Path) -> bool:
    net = folder / "graph_net.json"
    return net.is_file() and '"subgraph_kind"' in net.read_text("utf-8", errors="replace")


def _vary_into(folder: Path, name: str, found: Path, options: VaryOptions) -> dict[str, Any]:
    sample = read_sample(folder)
    kind = str(sample.graph_net.get("subgraph_kind", _WHOLE))
    written: list[str] = []
    left: dict[str, int] = {}
    number = 0
    for shaped, sizes in shape_variants(sample, options.variants):
        kept = False
        for dtype in options.dtypes:
            one = with_dtype(shaped, dtype)
            verdict = checks.check(one)
            if verdict.why is not None:
                left[verdict.why] = left.get(verdict.why, 0) + 1
                continue
            kept = True
            facts = {
                "deterministic": verdict.deterministic,
                "varied_from": name,
                "shape_variant": number,
                "sizes": {str(old): new for old, new in sizes.items()},
                "dtype": dtype,
            }
            target = f"{kind}/{dtype}/{number}/samples/{name}"
            write_sample(replace(one, graph_net={**one.graph_net, **facts}), found / target)
            written.append(target)
        number += kept
    return {"samples": written, "left": left}
