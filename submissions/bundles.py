"""A job of this workbench as a file that `python -m evaluator run-bundle` judges on another machine."""

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from evaluator.bundle import write_bundle
from evaluator.job import Job
from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.revisions import do_hand_in
from submissions.imported_results import PROFILES
from submissions.models import Author, Bundle

DEVICE = "cuda"  # what a bundle is for: a GPU where there is no workbench


@dataclass(frozen=True)
class Exported:
    """The zip file's name and bytes."""

    name: str
    content: bytes


@transaction.atomic
def do_export_bundle(author: Author, task: Task, files: Mapping[str, str], profile: str = "precise") -> Exported:
    """Hands the files in and packs them with the task's graphs. The same files give the same bytes. Raises Refused."""
    if profile not in PROFILES:
        raise Refused(400, "unknown_profile", f"There is no profile {profile[:40]!r}. Choose {' or '.join(PROFILES)}.")
    revision = do_hand_in(author, task, files)
    entries = list(task.entries.select_related("graph__source"))
    samples = tuple(entry.graph.as_sample(entry.name) for entry in entries)
    content = pack(Job(files=dict(files), graphs=samples, device=DEVICE, profile=profile))
    Bundle.objects.get_or_create(
        digest=hashlib.sha256(content).hexdigest(),
        revision=revision,
        defaults={"profile": profile, "graphs": [[entry.name, entry.graph.identity] for entry in entries]},
    )
    return Exported(f"{task.slug}-r{revision.number}-{profile}.zip", content)


def pack(job: Job) -> bytes:
    """The bytes of a job's bundle."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bundle.zip"
        write_bundle(job, path)
        return path.read_bytes()
