"""Whole models, Inductor alone against passes and Inductor: `python tests/bench/bench_models.py [--models a,b]`.

Real architectures with random weights, from timm and transformers where those are installed; the passes are those
that are shipped, or `--passes DIR…`. For each model: what matched, the first t of its output against eager for Inductor
and for passes + Inductor, and the ratio of their medians by `e2e` and `graph`, with 95 % intervals, timed in turn. A
model on which passes do not help is printed like one on which they do: a pass that breaks a fusion that Inductor would
have found shows as a ratio below 1.

Without a CUDA device kernels are interpreted: the script then rehearses on a toy model and prints no ratio.
"""

import argparse
import importlib.util
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from torch import nn  # noqa: E402

from evaluator import precision  # noqa: E402
from evaluator.engine.compare import compare, first_t  # noqa: E402
from evaluator.measure.rounds import Precision, Timing, time_in_rounds  # noqa: E402
from evaluator.measure.timers import CacheFlush, GraphTimer, HostTimer  # noqa: E402
from passnet_runtime import passes  # noqa: E402
from passnet_runtime.tables import table  # noqa: E402

Model = tuple[nn.Module, tuple[Any, ...]]
E2E = Precision(half_width=0.01, min_rounds=30, max_rounds=200, budget_seconds=6)
GRAPH = Precision(half_width=0.005, min_rounds=32, max_rounds=100, budget_seconds=4)
COPIES = 3  # of the inputs, for calls in a row within one CUDA graph


class Toy(nn.Module):
    """A residual layer norm twice, at a shape that the shipped passes know."""

    def __init__(self) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(64, 64) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(64, eps=1e-12) for _ in range(2))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for linear, norm in zip(self.linears, self.norms, strict=True):
            x = norm(self.drop(linear(x)) + x)
        return x


def toy() -> Model:
    return Toy(), (torch.randn(2, 14, 64),)


def of_timm(name: str, size: int = 224, batch: int = 8) -> Callable[[], Model]:
    def make() -> Model:
        import timm

        return timm.create_model(name, pretrained=False), (torch.randn(batch, 3, size, size),)

    return make


def of_transformers(kind: str, batch: int = 8, length: int = 128) -> Callable[[], Model]:
    def make() -> Model:
        import transformers

        config = getattr(transformers, f"{kind}Config")(return_dict=False, use_cache=False)
        model = getattr(transformers, f"{kind}Model")(config)
        return model, (torch.randint(0, config.vocab_size, (batch, length)),)

    return make


MODELS: dict[str, tuple[str | None, Callable[[], Model]]] = {
    "toy": (None, toy),
    "swin_tiny_patch4_window7_224": ("timm", of_timm("swin_tiny_patch4_window7_224")),
    "swinv2_tiny_window8_256": ("timm", of_timm("swinv2_tiny_window8_256", size=256)),
    "convnext_tiny": ("timm", of_timm("convnext_tiny")),
    "vit_small_patch16_224": ("timm", of_timm("vit_small_patch16_224")),
    "mobilenetv3_large_100": ("timm", of_timm("mobilenetv3_large_100")),
    "efficientnet_b0": ("timm", of_timm("efficientnet_b0")),
    "Bert": ("transformers", of_transformers("Bert")),
    "Roberta": ("transformers", of_transformers("Roberta")),
    "GPT2": ("transformers", of_transformers("GPT2")),
    "Electra": ("transformers", of_transformers("Electra")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help=f"of {', '.join(MODELS)}")
    parser.add_argument("--passes", nargs="*", type=Path, default=shipped())
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="float32")
    parser.add_argument("--json", type=Path, help="write the results here too")
    asked = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    names = asked.models.split(",") if asked.models else (list(MODELS) if device == "cuda" else ["toy"])
    precision.pin()
    results = []
    for name in names:
        library, make = MODELS[name]
        if library and importlib.util.find_spec(library) is None:
            print(f"{name}: not tried, {library} is not installed")
            continue
        try:
            results.append(measured(name, make, asked.passes, device, getattr(torch, asked.dtype)))
        except Exception as problem:  # one model that does not run here takes no other down
            results.append({"model": name, "failed": f"{type(problem).__name__}: {str(problem).splitlines()[0]}"})
        print(json.dumps(results[-1]), flush=True)
    told = [result for result in results if "failed" not in result]
    print(
        table(("model", "matches", "t Inductor", "t passes", "e2e", "graph", "passes used"), [row(one) for one in told])
    )
    if device == "cpu":
        print("No CUDA device: kernels were interpreted, so there is no speed to compare. This was a rehearsal.")
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1) + "\n")


def shipped() -> list[Path]:
    """Folders of passes that come with the workbench."""
    return sorted(
        path.parent for path in ROOT.glob("graphs/data/*/example/sorted_output_pass_rule_names.json")
    ) + sorted(path.parent for path in ROOT.glob("tests/graphs_data/passes/*/sorted_output_pass_rule_names.json"))


@torch.no_grad()
def measured(
    name: str, make: Callable[[], Model], folders: Sequence[Path], device: str, dtype: torch.dtype
) -> dict[str, Any]:
    """Everything about one model, as JSON."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, inputs = make()
    model = model.eval().to(device=device, dtype=dtype)
    moved = [value.to(device, dtype if value.is_floating_point() else None) for value in inputs]
    backend = passes(*folders, then="inductor", unverified="apply")
    calls = {"inductor": torch.compile(model), "passes": torch.compile(model, backend=backend)}
    expected = outputs(model(*moved))
    reports = {kind: compare(expected, outputs(call(*moved))) for kind, call in calls.items()}
    used: dict[str, int] = {}
    for graph in backend.report:
        for match in graph.matches if graph.fallback is None else ():
            used[match.pass_name] = used.get(match.pass_name, 0) + 1
    told: dict[str, Any] = {
        "model": name,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "dtype": str(dtype).removeprefix("torch."),
        "torch": torch.__version__,
        "graphs": len(backend.report),
        "used": used,
        "first_t": {kind: first_t(report) for kind, report in reports.items()},
        "notes": [note for graph in backend.report for note in graph.notes],
    }
    if device == "cuda" and used:
        told |= timed(calls, moved)
    return told


def timed(calls: dict[str, Callable[..., Any]], inputs: Sequence[torch.Tensor]) -> dict[str, Any]:
    """Inductor's median over that of passes + Inductor, by method."""
    flush = CacheFlush(torch.device("cuda"))
    copies = [[value.clone() for value in inputs] for _ in range(COPIES)]
    once = {kind: (lambda call=call: call(*inputs)) for kind, call in calls.items()}
    rows = {kind: [(lambda call=call, own=own: call(*own)) for own in copies] for kind, call in calls.items()}
    for row_of_calls in rows.values():
        for call in row_of_calls:
            call()
    torch.cuda.synchronize()
    found: dict[str, Any] = {}
    host = HostTimer(once, flush, torch.cuda.synchronize)
    found["e2e"] = ratio(
        time_in_rounds(host, list(once), E2E, refill=no_refill, rng=random.Random(0), baseline="inductor")
    )
    replay = GraphTimer(rows, flush)
    if replay.failed:
        return {**found, "graph": None, "graph_failed": replay.failed}
    timing = time_in_rounds(replay, list(rows), GRAPH, refill=no_refill, rng=random.Random(0), baseline="inductor")
    return {**found, "graph": ratio(timing)}


def ratio(timing: Timing) -> dict[str, Any]:
    found = timing.ratios["passes"]
    medians = {kind: sorted(times)[len(times) // 2] for kind, times in timing.samples.items()}
    return {"value": found.value, "low": found.low, "high": found.high, "rounds": found.rounds, "median_us": medians}


def no_refill(_: int) -> None:
    """Weights and inputs stay what they are: the caches are flushed before each call."""


def outputs(value: Any) -> list[Any]:
    """The tensors that a model returned."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def row(result: dict[str, Any]) -> tuple[Any, ...]:
    """One line of the table."""
    ts = result["first_t"]
    speeds = [
        f"{one['value']:.3f} ({one['low']:.3f}–{one['high']:.3f})" if (one := result.get(method)) else "–"
        for method in ("e2e", "graph")
    ]
    used = ", ".join(f"{name} ×{count}" for name, count in result["used"].items())
    return (
        result["model"],
        sum(result["used"].values()),
        str(ts["inductor"]),
        str(ts["passes"]),
        *speeds,
        used or "none",
    )


if __name__ == "__main__":
    main()
