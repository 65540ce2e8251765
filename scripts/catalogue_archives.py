"""The archives of the shipped catalogue: tasks packed into files of one size, and an older catalogue taken apart."""

import gzip
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from dataset.catalogue_texts import Origin, task_text
from dataset.tasks import TaskGroup, graph_name
from dataset.unpacking import unpack_catalogue
from graphs.samples import find_samples

MOST_BYTES = 1_400_000  # of one archive


def lay_out_earlier(archives: Path, work: Path) -> int:
    """The graphs of the archives as WORK/earlier/library/model/graph, variants in WORK/varied; and their manifest."""
    unpack_catalogue(archives, work / "unpacked")
    shutil.copyfile(archives / "manifest.json", work / "earlier.json")
    count = 0
    for path in find_samples(work / "unpacked"):
        net = json.loads((path / "graph_net.json").read_text("utf-8"))
        start, end = net["origin_range"]
        name = f"{net['origin']}_start{start}_end{end}_{net['subgraph_kind']}_{sha256_of(path / 'model.py')[:8]}"
        tree = work
        if "varied_from" in net:
            tree = work / "varied" / net["subgraph_kind"] / net["dtype"] / str(net["shape_variant"]) / "samples"
        target = tree / "earlier" / net["source"] / net["model_name"] / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(path, target)
            count += 1
    shutil.rmtree(work / "unpacked")
    return count


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_shelf(
    out: Path,
    shelf: str,
    tasks: Iterable[TaskGroup],
    folder: Path,
    origins: dict[str, Origin],
    lists: tuple[dict[str, str], dict[str, str]],
) -> None:
    """Archives of at most MOST_BYTES; the same tasks give the same bytes."""
    number, pack = 1, Pack()
    for task in sorted(tasks, key=lambda one: (one.kind, one.operators, one.id)):
        text = task_text(task, origins[task.id], lists[0].get(task.id), lists[1].get(task.id))
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
