"""A regression case as folders, in the layout of the acceptance cases."""

import json
from pathlib import Path

from graphs.refused import Refused
from graphs.samples import write_sample
from submissions.models import RegressionCase


def write_case(case: RegressionCase, root: Path) -> tuple[Path, Path]:
    """Writes `tasks/<task>/` and `submissions/<name>/` with `expected.json` below `root`; returns task and pass_dir."""
    task = case.revision.task
    place = root / "submissions" / case.name
    pass_dir = place / "pass_dir"
    pass_dir.mkdir(parents=True, exist_ok=True)
    for name, text in case.revision.files.items():
        (pass_dir / Path(name).name).write_text(text, "utf-8", "surrogateescape")
    (place / "expected.json").write_text(json.dumps(case.expected, indent=1, ensure_ascii=False) + "\n", "utf-8")
    folder = root / "tasks" / task.slug
    names = []
    for entry in task.entries.select_related("graph__source"):
        if entry.name in ("", ".", "..") or Path(entry.name).name != entry.name:
            raise Refused(409, "odd_name", f"{entry.name[:80]!r} of {task.slug} can not be the name of a folder.")
        write_sample(entry.graph.as_sample(entry.name), folder / "graphs" / entry.name)
        names.append(f"graphs/{entry.name}")
    (folder / "graph_list.txt").write_text("\n".join(names) + "\n", "utf-8")
    return folder, pass_dir
