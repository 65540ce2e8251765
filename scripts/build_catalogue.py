"""From what `python -m dataset` captured, decomposed and varied to the archives in graphs/captured.

python scripts/build_catalogue.py WORK [--size 100] [--seed 7] [--out graphs/captured]

WORK is a folder with `captured/` and `trained/`; scripts/capture_catalogue.sh has the commands that lead there and
calls this twice: first with --choose, which puts a graph of each task of the benchmark into WORK/chosen, to be varied
into WORK/varied; then for the archives. What lies in `earlier/` (an older catalogue, laid out by --earlier) stays in.
WORK/tasks gets the task folders as `python -m dataset measure` takes them.
"""

import argparse
import hashlib
import importlib.metadata
import json
import platform
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from dataset import dedupe  # noqa: E402
from dataset.benchmark import Candidate, build, write_manifest  # noqa: E402
from dataset.catalogue_texts import Origin  # noqa: E402
from dataset.manifest import read_manifest  # noqa: E402
from dataset.models import parse_name  # noqa: E402
from dataset.tasks import Grouped, TaskGroup, group, write_tasks  # noqa: E402
from graphs.samples import find_samples  # noqa: E402
from scripts.catalogue_archives import lay_out_earlier, write_shelf  # noqa: E402

MODELS = ROOT / "scripts" / "models_by_family.txt"
OWN_TREES = ("captured", "trained", "earlier")
MOST_GRAPHS = 24  # of one task; an operator that all models use has hundreds
LISTS = {"benchmark": "benchmark", "held_out": "held-out"}  # of a manifest → in task.json
_LIBRARIES = ("torch", "timm", "transformers", "torch_geometric", "diffusers")


@dataclass(frozen=True)
class Board:
    """A benchmark: what its tasks are, how large it is beside the first, and what it is called."""

    board: str
    kind: str
    training: bool
    share: float


BENCHMARKS = {
    "benchmark": Board("fusible", "fusible", training=False, share=1.0),
    "benchmark-training": Board("training", "fusible", training=True, share=0.2),
    "benchmark-classical": Board("classical", "classical", training=False, share=0.5),
    "benchmark-single": Board("single", "single", training=False, share=0.5),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, metavar="WORK")
    parser.add_argument("--out", type=Path, default=ROOT / "graphs" / "captured")
    parser.add_argument("--size", type=int, default=100, help="tasks of the benchmark (default: 100)")
    parser.add_argument("--seed", type=int, default=7, help="decides between equals (default: 7)")
    parser.add_argument("--choose", action="store_true", help="only choose the benchmark's tasks, into WORK/chosen")
    parser.add_argument("--earlier", action="store_true", help="only unpack the archives of --out into WORK/earlier")
    options = parser.parse_args(arguments)
    work, out = options.work, options.out

    if options.earlier:
        print(f"{lay_out_earlier(out, work)} graphs of an earlier catalogue")
        return 0
    trees = OWN_TREES if options.choose else (*OWN_TREES, "varied")
    subgraphs = [path for tree in trees for path in find_samples(work / tree) if is_wanted(path, tree)]
    print(f"{len(subgraphs)} subgraphs", flush=True)
    tasks = group(work, subgraphs, by_code=True, most=MOST_GRAPHS)
    benchmarks = {name: choose(tasks, work, one, options.size, options.seed) for name, one in BENCHMARKS.items()}
    benchmark = benchmarks["benchmark"]
    if options.choose:
        copy_chosen(tasks, benchmark, work)
        return 0
    duplicates = dedupe.group(work, [path for path in subgraphs if not path.is_relative_to(work / "varied")])
    if (work / "tasks").exists():
        shutil.rmtree(work / "tasks")
    write_tasks(tasks, work, work / "tasks")
    for name, one in benchmarks.items():
        write_manifest(one, work / "tasks" / f"{name}.json")

    earlier = json.loads((work / "earlier.json").read_text("utf-8")) if (work / "earlier.json").is_file() else None
    families = families_of(MODELS) | {one["folder"]: one["family"] for one in (earlier or {"models": []})["models"]}
    origins = origins_of(tasks, duplicates, work, families)
    shelves: dict[str, list[TaskGroup]] = defaultdict(list)
    for task in tasks.tasks:
        shelves[shelf_of(task, origins[task.id])].append(task)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.tar.gz"):
        old.unlink()
    chosen = {entry["id"]: LISTS[words] for one in benchmarks.values() for words in LISTS for entry in one[words]}
    boards = {entry["id"]: BENCHMARKS[name].board for name, one in benchmarks.items() for entry in one["benchmark"]}
    for shelf, members in sorted(shelves.items()):
        write_shelf(out, shelf, members, work / "tasks", origins, (chosen, boards))
    for name, one in benchmarks.items():
        (out / f"{name}.json").unlink(missing_ok=True)
        if not one["benchmark"]:
            continue
        write_manifest(one, out / f"{name}.json")
    manifest = manifest_of(work, tasks, duplicates, families, benchmarks, earlier)
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size:>9,} {path.name}")
    print(json.dumps(manifest["counts"], indent=1))
    return 0


def choose(tasks: Grouped, work: Path, wanted: Board, size: int, seed: int) -> dict[str, Any]:
    """A benchmark's manifest. What decides between equals does not depend on how many graphs a task has by now."""
    fusible = {
        stable_id(task): task
        for task in tasks.tasks
        if task.kind == wanted.kind and is_training(task, work) == wanted.training
    }
    size = round(size * wanted.share)
    candidates = [
        Candidate(name, task.operators, {"kind": task.kind, "graphs": len(task.members)})
        for name, task in fusible.items()
    ]
    manifest = build(candidates, size, seed, size // 4)
    for entry in (*manifest["benchmark"], *manifest["held_out"]):
        entry["id"] = fusible[entry["id"]].id
    for name in ("training", "excluded"):
        manifest[name] = sorted(fusible[one].id for one in manifest[name])
    return manifest


def stable_id(task: TaskGroup) -> str:
    return hashlib.sha256(json.dumps([task.kind, task.operators]).encode()).hexdigest()


def copy_chosen(tasks: Grouped, benchmark: dict[str, Any], work: Path) -> None:
    """The first graph of each task of the benchmark, and of those kept apart for it."""
    if (work / "chosen").exists():
        shutil.rmtree(work / "chosen")
    by_id = {task.id: task for task in tasks.tasks}
    for entry in (*benchmark["benchmark"], *benchmark["held_out"]):
        folder = by_id[entry["id"]].members[0].folder
        shutil.copytree(work / folder, work / "chosen" / folder)
    print(f"{len(benchmark['benchmark'])} tasks, {len(benchmark['held_out'])} held out: {work / 'chosen'}")


def is_wanted(folder: Path, tree: str) -> bool:
    """A subgraph; of the models that were trained only what fuses in the graphs of training: loading takes its time."""
    net = folder / "graph_net.json"
    text = net.read_text("utf-8", errors="replace") if net.is_file() else ""
    if tree == "trained":
        return '"subgraph_kind": "fusible"' in text and '"graph_kind": "inference"' not in text
    return '"subgraph_kind"' in text


def is_training(task: TaskGroup, work: Path) -> bool:
    """Of a forward or backward graph that AOT autograd made, not of what the model's authors wrote."""
    net = json.loads((work / task.members[0].folder / "graph_net.json").read_text("utf-8"))
    return net.get("graph_kind", "inference") != "inference"


def families_of(path: Path) -> dict[str, str]:
    """The family of each model, by the model's folder below `captured/`."""
    found = {}
    family = ""
    for line in path.read_text("utf-8").split("\n"):
        if line.startswith("# "):
            family = line.removeprefix("# ")
        elif line.strip():
            found[parse_name(line).folder] = family
    return found


def origins_of(
    tasks: Grouped, duplicates: dedupe.Duplicates, work: Path, families: dict[str, str]
) -> dict[str, Origin]:
    """Where the graphs of each task come from, all that repeat them counted in."""
    copies = {one.folder: [*one.same_bytes, *one.same_graph] for one in duplicates.unique}
    copies |= {copy: [one.folder] for one in duplicates.unique for copy in (*one.same_bytes, *one.same_graph)}
    found = {}
    for task in tasks.tasks:
        models: Counter[str] = Counter()
        for member in task.members:
            model = model_of(member.folder)
            models[model] += 1
            for copy in copies.get(member.folder, ()):
                models[model_of(copy)] += 1
        names = [model for model, _ in models.most_common()]
        found[task.id] = Origin(tuple(names), tuple(dict.fromkeys(families[name] for name in names)))
    return found


def model_of(folder: str) -> str:
    """library/model from captured/library/model/… or varied/kind/dtype/0/samples/library/model/…"""
    parts = folder.split("/")
    at = parts.index("samples") + 1 if parts[0] == "varied" else 1
    if parts[at] in OWN_TREES:
        at += 1
    return "/".join(parts[at : at + 2])


def shelf_of(task: TaskGroup, origin: Origin) -> str:
    """The archive's name without number: the family that most of the task's graphs come from."""
    return "-".join(origin.families[0].replace(":", "").replace(",", "").lower().split()[:4])


def manifest_of(
    work: Path,
    tasks: Grouped,
    duplicates: dedupe.Duplicates,
    families: dict[str, str],
    benchmarks: dict[str, dict[str, Any]],
    earlier: dict[str, Any] | None,
) -> dict[str, Any]:
    entries = [
        entry
        for entry in read_manifest(work / "captured" / "manifest.jsonl").values()
        if parse_name(entry["model"]).folder in families  # others were taken off the list
    ]
    tried = {entry["model"] for entry in entries}
    before = [one for one in (earlier or {"models": []})["models"] if one["model"] not in tried]
    own = duplicates.samples - sum(1 for _ in find_samples(work / "earlier"))
    cut = own + (earlier["counts"]["subgraphs cut out"] if earlier else 0)
    trained = [*read_manifest(work / "trained" / "manifest.jsonl").values()]
    captured = [entry for entry in entries if entry["status"] == "captured"]
    graphs = [member for task in tasks.tasks for member in task.members]
    by_family = Counter(families[parse_name(entry["model"]).folder] for entry in captured)
    by_family.update(one["family"] for one in before if one["status"] == "captured")
    return {
        "format": "captured catalogue 1",
        "versions": {"python": platform.python_version(), **{name: version_of(name) for name in _LIBRARIES}}
        if captured or earlier is None
        else earlier["versions"],
        "seeds": {"weights and inputs": 0, "statistics": 0, "benchmark": benchmarks["benchmark"]["seed"]},
        "counts": {
            "models captured": sum(by_family.values()),
            "models tried": len(entries) + len(before),
            "models captured for training": sum(entry["status"] == "captured" for entry in trained),
            "families": dict(by_family),
            "whole graphs": sum(len(entry["graphs"]) for entry in captured)
            + sum(one.get("graphs", 0) for one in before),
            "graph breaks": sum(one["count"] for entry in captured for one in entry["breaks"])
            + (earlier["counts"]["graph breaks"] if before and earlier else 0),
            "subgraphs cut out": cut,
            "removed by SHA-256 of model.py": cut - duplicates.removed_by_graph - len(duplicates.unique),
            "more removed by the canonical hash": duplicates.removed_by_graph,
            "unique subgraphs": len(duplicates.unique),
            "tasks": dict(Counter(task.kind for task in tasks.tasks)),
            "graphs in tasks": len(graphs),
            "graphs in tasks by kind": dict(Counter(task.kind for task in tasks.tasks for _ in task.members)),
            "graphs with other shapes or dtypes": sum(one.folder.startswith("varied/") for one in graphs),
            "tasks of training": sum(is_training(task, work) for task in tasks.tasks),
            "tasks of the benchmark": len(benchmarks["benchmark"]["benchmark"]),
            "tasks held out": len(benchmarks["benchmark"]["held_out"]),
            "benchmarks": {name: len(one["benchmark"]) for name, one in benchmarks.items()},
        },
        "trained": [
            {"model": entry["model"], "status": entry["status"], "graphs": len(entry["graphs"])} for entry in trained
        ],
        "models": [
            *before,
            *(
                {
                    "model": entry["model"],
                    "folder": parse_name(
                        entry["model"]
                    ).folder,  # library/model, as its graphs' graph_net.json has them
                    "family": families[parse_name(entry["model"]).folder],
                    "status": entry["status"],
                    **({"graphs": len(entry["graphs"])} if entry["graphs"] else {"why": entry["why"]}),
                }
                for entry in entries
            ),
        ],
    }


def version_of(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    sys.exit(main())
