"""From what `python -m dataset` captured, decomposed and varied to the archives in graphs/captured.

python scripts/build_catalogue.py WORK [--size 100] [--seed 7] [--out graphs/captured]

WORK is a folder with `captured/`; scripts/capture_catalogue.sh has the commands that lead there and calls this twice:
first with --choose, which puts a graph of each task of the benchmark into WORK/chosen, to be varied into WORK/varied;
then for the archives. WORK/tasks gets the task folders as `python -m dataset measure` takes them.
"""

import argparse
import gzip
import hashlib
import importlib.metadata
import io
import json
import platform
import shutil
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from dataset import dedupe  # noqa: E402
from dataset.benchmark import Candidate, build, write_manifest  # noqa: E402
from dataset.catalogue_texts import Origin, task_text  # noqa: E402
from dataset.manifest import read_manifest  # noqa: E402
from dataset.models import parse_name  # noqa: E402
from dataset.tasks import Grouped, TaskGroup, graph_name, group, write_tasks  # noqa: E402
from graphs.samples import find_samples  # noqa: E402

MODELS = ROOT / "scripts" / "models_by_family.txt"
KINDS = ("fusible", "classical", "single")
MOST_BYTES = 1_400_000  # of one archive
_LIBRARIES = ("torch", "timm", "transformers", "torch_geometric", "diffusers")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, metavar="WORK")
    parser.add_argument("--out", type=Path, default=ROOT / "graphs" / "captured")
    parser.add_argument("--size", type=int, default=100, help="tasks of the benchmark (default: 100)")
    parser.add_argument("--seed", type=int, default=7, help="decides between equals (default: 7)")
    parser.add_argument("--choose", action="store_true", help="only choose the benchmark's tasks, into WORK/chosen")
    options = parser.parse_args(arguments)
    work, out = options.work, options.out

    trees = ("captured",) if options.choose else ("captured", "varied")
    subgraphs = [path for tree in trees for path in find_samples(work / tree) if is_subgraph(path)]
    print(f"{len(subgraphs)} subgraphs", flush=True)
    tasks = group(work, subgraphs, by_code=True)
    benchmark = choose(tasks, options.size, options.seed)
    if options.choose:
        copy_chosen(tasks, benchmark, work)
        return 0
    duplicates = dedupe.group(work, [path for path in subgraphs if path.is_relative_to(work / "captured")])
    if (work / "tasks").exists():
        shutil.rmtree(work / "tasks")
    write_tasks(tasks, work, work / "tasks")
    write_manifest(benchmark, work / "tasks" / "benchmark.json")

    families = families_of(MODELS)
    origins = origins_of(tasks, duplicates, work, families)
    shelves: dict[str, list[TaskGroup]] = defaultdict(list)
    for task in tasks.tasks:
        shelves[shelf_of(task, origins[task.id])].append(task)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.tar.gz"):
        old.unlink()
    chosen = {entry["id"]: "benchmark" for entry in benchmark["benchmark"]}
    chosen |= {entry["id"]: "held-out" for entry in benchmark["held_out"]}
    for shelf, members in sorted(shelves.items()):
        write_shelf(out, shelf, members, work / "tasks", origins, chosen)
    write_manifest(benchmark, out / "benchmark.json")
    manifest = manifest_of(work, tasks, duplicates, families, benchmark)
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size:>9,} {path.name}")
    print(json.dumps(manifest["counts"], indent=1))
    return 0


def choose(tasks: Grouped, size: int, seed: int) -> dict[str, Any]:
    """The benchmark's manifest. What decides between equals does not depend on how many graphs a task has by now."""
    fusible = {stable_id(task): task for task in tasks.tasks if task.kind == "fusible"}
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
        shutil.copytree(work / folder, work / "chosen" / folder.removeprefix("captured/"))
    print(f"{len(benchmark['benchmark'])} tasks, {len(benchmark['held_out'])} held out: {work / 'chosen'}")


def is_subgraph(folder: Path) -> bool:
    net = folder / "graph_net.json"
    return net.is_file() and '"subgraph_kind"' in net.read_text("utf-8", errors="replace")


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
    if parts[at] == "captured":
        at += 1
    return "/".join(parts[at : at + 2])


def shelf_of(task: TaskGroup, origin: Origin) -> str:
    """The archive's name without number: the family that most of the task's graphs come from."""
    return "-".join(origin.families[0].replace(":", "").replace(",", "").lower().split()[:4])


def write_shelf(
    out: Path,
    shelf: str,
    tasks: Iterable[TaskGroup],
    folder: Path,
    origins: dict[str, Origin],
    chosen: dict[str, str],
) -> None:
    """Archives of at most MOST_BYTES; the same tasks give the same bytes."""
    number, pack = 1, Pack()
    for task in sorted(tasks, key=lambda one: (one.kind, one.operators, one.id)):
        text = task_text(task, origins[task.id], chosen.get(task.id))
        if pack.size > MOST_BYTES:
            pack.write(out / f"{shelf}-{number}.tar.gz")
            number, pack = number + 1, Pack()
        name = text.pop("folder")
        pack.add(f"{name}/task.json", json.dumps(text, indent=1, ensure_ascii=False).encode() + b"\n")
        pack.add(f"{name}/graph_list.txt", (folder / task.id / "graph_list.txt").read_bytes())
        pack.add(f"{name}/sample_uids.txt", (folder / task.id / "sample_uids.txt").read_bytes())
        for place, member in enumerate(task.members):
            graph = graph_name(place, member)
            for file in sorted((folder / task.id / "graphs" / graph).iterdir()):
                pack.add(f"{name}/graphs/{graph}/{file.name}", file.read_bytes())
    pack.write(out / f"{shelf}-{number}.tar.gz")


class Pack:
    """A tar.gz in the making, without times and owners."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        self._gzip = gzip.GzipFile(fileobj=self._bytes, mode="wb", compresslevel=9, mtime=0)
        self._tar = tarfile.open(fileobj=self._gzip, mode="w", format=tarfile.GNU_FORMAT)  # noqa: SIM115 (open until written)

    @property
    def size(self) -> int:
        """Bytes so far, but for what the compressor still holds."""
        return self._bytes.tell()

    def add(self, name: str, content: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(content), 0o644
        self._tar.addfile(info, io.BytesIO(content))

    def write(self, path: Path) -> None:
        self._tar.close()
        self._gzip.close()
        path.write_bytes(self._bytes.getvalue())


def manifest_of(
    work: Path,
    tasks: Grouped,
    duplicates: dedupe.Duplicates,
    families: dict[str, str],
    benchmark: dict[str, Any],
) -> dict[str, Any]:
    entries = [
        entry
        for entry in read_manifest(work / "captured" / "manifest.jsonl").values()
        if parse_name(entry["model"]).folder in families  # others were taken off the list
    ]
    captured = [entry for entry in entries if entry["status"] == "captured"]
    graphs = [member for task in tasks.tasks for member in task.members]
    by_family = Counter(families[parse_name(entry["model"]).folder] for entry in captured)
    return {
        "format": "captured catalogue 1",
        "versions": {"python": platform.python_version(), **{name: version_of(name) for name in _LIBRARIES}},
        "seeds": {"weights and inputs": 0, "statistics": 0, "benchmark": benchmark["seed"]},
        "counts": {
            "models captured": len(captured),
            "models tried": len(entries),
            "families": dict(by_family),
            "whole graphs": sum(len(entry["graphs"]) for entry in captured),
            "graph breaks": sum(one["count"] for entry in captured for one in entry["breaks"]),
            "subgraphs cut out": duplicates.samples,
            "removed by SHA-256 of model.py": duplicates.removed_by_bytes,
            "more removed by the canonical hash": duplicates.removed_by_graph,
            "unique subgraphs": len(duplicates.unique),
            "tasks": dict(Counter(task.kind for task in tasks.tasks)),
            "graphs in tasks": len(graphs),
            "graphs in tasks by kind": dict(Counter(task.kind for task in tasks.tasks for _ in task.members)),
            "tasks of the benchmark": len(benchmark["benchmark"]),
            "tasks held out": len(benchmark["held_out"]),
        },
        "models": [
            {
                "model": entry["model"],
                "folder": parse_name(entry["model"]).folder,  # library/model, as its graphs' graph_net.json has them
                "family": families[parse_name(entry["model"]).folder],
                "status": entry["status"],
                **({"graphs": len(entry["graphs"])} if entry["graphs"] else {"why": entry["why"]}),
            }
            for entry in entries
        ],
    }


def version_of(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    sys.exit(main())
