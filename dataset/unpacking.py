"""The shipped archives as a tree of tasks that `measure` and `check-kernels` take. Needs neither torch nor Django."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from dataset.tasks import INDEX
from graphs.archives import ArchiveLimits, unpack

BENCHMARKS = "benchmark*.json"
_LIMITS = ArchiveLimits(members=40_000, header_bytes=64 << 20)


def unpack_catalogue(folder: Path, out: Path) -> int:
    """Write every task of the archives (*.tar.gz) in `folder` below `out`, named by its id; how many there are.

    Beside them go tasks.json and the manifests of the benchmarks, so that `measure` knows what comes first. What is
    there already is kept. Raises ReadProblem for an archive that can not be read, ValueError for a task without its id.
    """
    out.mkdir(parents=True, exist_ok=True)
    tasks: list[dict[str, Any]] = []
    for archive in sorted(folder.glob("*.tar.gz")):
        with tempfile.TemporaryDirectory(prefix=".unpack-", dir=out) as work:
            unpack(archive, Path(work) / "tasks", _LIMITS)
            for path in sorted(Path(work).glob("tasks/*/task.json")):
                about = json.loads(path.read_text("utf-8"))
                if not isinstance(about, dict) or not {"id", "kind"} <= about.keys():
                    raise ValueError(f"{archive.name}: {path.parent.name}/task.json says neither id nor kind")
                tasks.append({"id": str(about["id"]), "kind": str(about["kind"])})
                target = out / Path(str(about["id"])).name
                if not target.exists():
                    path.parent.rename(target)
    for manifest in sorted(folder.glob(BENCHMARKS)):
        shutil.copyfile(manifest, out / manifest.name)
    (out / INDEX).write_text(json.dumps(sorted(tasks, key=lambda task: task["id"]), indent=1) + "\n", "utf-8")
    return len(tasks)
