"""The acceptance submissions: attempts carry their class, the others nothing."""

import json
import os
from pathlib import Path

import pytest

from evaluator.integrity.static_check import check_files

pytestmark = pytest.mark.cases

CASES = os.environ.get("PASSNET_CASES")
# What the text alone can not show, and which check of the run answers it.
RUN_TIME_ONLY = {
    "leftover_memory": "evaluator.integrity.probes: free memory is poisoned, an output that still holds it is found",
}


def _folders() -> list[Path]:
    root = Path(CASES or "/nonexistent") / "cases" / "submissions"
    return sorted(root.iterdir()) if root.is_dir() else []


@pytest.mark.parametrize("folder", _folders(), ids=lambda folder: folder.name)
def test_submission(folder: Path) -> None:
    files = {path.name: path.read_text() for path in (folder / "pass_dir").iterdir()}
    must_flag = json.loads((folder / "expected.json").read_text())["must_flag"]
    found = check_files(files)
    if must_flag is None or must_flag in RUN_TIME_ONLY:
        assert found == []
    else:
        assert must_flag in {one["class"] for one in found if one["severity"] == "violation"}
